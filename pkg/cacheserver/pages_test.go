package cacheserver

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

func TestPages(t *testing.T) {
	s := start(t, cache.Options{}, Options{Version: "v1.2.3"})
	c := s.dial(t)
	c.do("PUT", "/v1/cache/k", "", "v").want(t, "PUT", 204)
	c.do("GET", "/v1/cache/k", "", "").want(t, "GET", 200)
	c.do("GET", "/v1/cache/none", "", "").want(t, "GET", 404)
	for _, path := range []string{"/healthz", "/readyz", "/v1/stats", "/metrics"} {
		c.do("GET", path, "", "").want(t, path, 200)
		c.do("HEAD", path, "", "").want(t, path, 200)
		a := c.do("PUT", path, "", "x")
		a.want(t, "PUT "+path, 405)
		if a.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: Allow %q", path, a.Header.Get("Allow"))
		}
	}
	var doc map[string]any
	if err := json.Unmarshal(c.do("GET", "/v1/stats", "", "").body, &doc); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"hits": 1.0, "misses": 1.0, "sets": 1.0, "entries": 1.0, "capacity": float64(cache.CapacityUnit),
		"version": "v1.2.3", "draining": false, "connections": 1.0, "maxConnections": 1024.0,
	} {
		if doc[name] != want {
			t.Errorf("/v1/stats %s: %v, want %v", name, doc[name], want)
		}
	}
	metrics := string(c.do("GET", "/metrics", "", "").body)
	for _, want := range []string{
		"tiny_cache_hits_total 1\n", "tiny_cache_misses_total 1\n", "tiny_cache_entries 1\n", "tiny_cache_evictions_total 0\n",
		"tiny_cache_expirations_total 0\n", "tiny_cache_limit_bytes 3.3554432e+07\n", "tiny_cache_draining 0\n",
		`tiny_cache_build_info{version="v1.2.3"} 1`, `tiny_cache_http_requests_total{code="404",method="get"} 1`,
		`tiny_cache_http_request_duration_seconds_count{method="get"} 2`, "go_goroutines ",
	} {
		if !strings.Contains(metrics, want) {
			t.Errorf("/metrics lacks %q", want)
		}
	}
}

func TestOptionsRefused(t *testing.T) {
	engine, err := cache.New(cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"no cache":             {},
		"payloads too few":     {Cache: engine, PayloadBytes: 1 << 20},
		"header below a key":   {Cache: engine, MaxHeaderBytes: 1024},
		"negative time":        {Cache: engine, ReadTimeout: -time.Second},
		"negative connections": {Cache: engine, MaxConnections: -1},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

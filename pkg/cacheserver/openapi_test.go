package cacheserver

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"

	"github.com/sk1-services/distributed-cache/pkg/cache"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// apiDocument is what the test reads of docs/openapi.yaml.
type apiDocument struct {
	Paths        map[string]map[string]yaml.Node `yaml:"paths"`
	OtherPath    map[string]apiResponse          `yaml:"x-other-path"`
	EveryRequest map[string]apiResponse          `yaml:"x-every-request"`
	Components   struct {
		Headers   map[string]apiHeader   `yaml:"headers"`
		Responses map[string]apiResponse `yaml:"responses"`
		Schemas   map[string]struct {
			Required []string `yaml:"required"`
		} `yaml:"schemas"`
	} `yaml:"components"`
}

type apiResponse struct {
	Ref     string               `yaml:"$ref"`
	Headers map[string]apiHeader `yaml:"headers"`
	Content map[string]any       `yaml:"content"`
}

type apiHeader struct {
	Ref      string `yaml:"$ref"`
	Required bool   `yaml:"required"`
}

// responses returns everything that is documented, under "METHOD path status".
func (d *apiDocument) responses(t *testing.T) map[string]apiResponse {
	t.Helper()
	all := map[string]apiResponse{}
	for status, r := range d.OtherPath {
		all["GET other "+status] = r
	}
	for status, r := range d.EveryRequest {
		all["ANY every "+status] = r
	}
	for path, members := range d.Paths {
		for name, node := range members {
			var operation struct {
				Responses map[string]apiResponse `yaml:"responses"`
			}
			var other apiResponse
			var err error
			switch name {
			case "parameters":
			case "x-other-method":
				err = node.Decode(&other)
				all["PATCH "+path+" 405"] = other
			default:
				err = node.Decode(&operation)
				for status, r := range operation.Responses {
					all[strings.ToUpper(name)+" "+path+" "+status] = r
				}
			}
			if err != nil {
				t.Fatalf("%s %s: %v", name, path, err)
			}
		}
	}
	for name, r := range all {
		if r.Ref != "" {
			all[name] = lookUp(t, d.Components.Responses, r.Ref)
		}
	}
	return all
}

func lookUp[T any](t *testing.T, in map[string]T, ref string) T {
	t.Helper()
	found, ok := in[ref[strings.LastIndex(ref, "/")+1:]]
	if !ok {
		t.Fatalf("%s points nowhere", ref)
	}
	return found
}

// The document and the server must agree: every answer that the document has is
// provoked here, and no answer is provoked that it has not.
func TestOpenAPIIsWhatIsServed(t *testing.T) {
	text, err := os.ReadFile("../../docs/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var document apiDocument
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	documented := document.responses(t)
	provoked := provokeAll(t)
	for name, a := range provoked {
		r, ok := documented[name]
		if !ok {
			t.Errorf("%s is answered, but docs/openapi.yaml has it not", name)
			continue
		}
		checkAnswer(t, &document, name, r, a)
	}
	for name := range documented {
		if _, ok := provoked[name]; !ok {
			t.Errorf("docs/openapi.yaml has %s, but nothing here provokes it", name)
		}
	}
	stats := string(provoked["GET /v1/stats 200"].body)
	for _, member := range document.Components.Schemas["Stats"].Required {
		if !strings.Contains(stats, `"`+member+`":`) {
			t.Errorf("/v1/stats lacks %s: %s", member, stats)
		}
	}
	if got, want := strings.Count(stats, `":`), len(document.Components.Schemas["Stats"].Required); got != want {
		t.Errorf("/v1/stats has %d members, docs/openapi.yaml %d", got, want)
	}
}

func checkAnswer(t *testing.T, document *apiDocument, name string, r apiResponse, a answer) {
	t.Helper()
	types := slices.Collect(maps.Keys(r.Content))
	got, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
	if len(types) == 0 && got != "" || len(types) > 0 && !slices.Contains(types, got) {
		t.Errorf("%s: Content-Type %q, documented %q", name, got, types)
	}
	ours := map[string]bool{"Age": true, "Cache-Ttl": true, "Retry-After": true, "Allow": true, "Location": true}
	for header, h := range r.Headers {
		if h.Ref != "" {
			h = lookUp(t, document.Components.Headers, h.Ref)
		}
		if h.Required && a.Header.Get(header) == "" {
			t.Errorf("%s: no header %s", name, header)
		}
		delete(ours, http.CanonicalHeaderKey(header))
	}
	for header := range ours {
		if a.Header.Get(header) != "" {
			t.Errorf("%s: header %s is not documented", name, header)
		}
	}
}

// exchange is a request and what names its answer in the document.
type exchange struct {
	method, path string
	target       string // "" is path
	header, body string
}

// provokeAll returns an answer of every kind that the server has, under
// "METHOD path status".
func provokeAll(t *testing.T) map[string]answer {
	t.Helper()
	all := map[string]answer{}
	add := func(method, path string, a answer) { all[fmt.Sprintf("%s %s %d", method, path, a.StatusCode)] = a }
	send := func(c *client, exchanges ...exchange) {
		for _, e := range exchanges {
			target := e.target
			if target == "" {
				target = e.path
			}
			add(e.method, e.path, c.do(e.method, target, e.header, e.body))
		}
	}
	const entry, k = "/v1/cache/{key}", "/v1/cache/k"
	typed := "Content-Type: " + batch.MediaType + "\r\n"
	s := start(t, cache.Options{}, Options{ReadTimeout: 300 * time.Millisecond})
	c := s.dial(t)
	send(c, exchange{"PUT", entry, k + "?ttl=60", "", "v"}, exchange{"PUT", entry, k + "?x", "", "v"},
		exchange{"POST", batchPath, "", typed + "Content-Length: 0\r\n", ""}, exchange{"POST", batchPath, "", typed + "Content-Length: 1\r\n", "x"},
		exchange{"POST", batchPath, "", "Content-Length: 0\r\n", ""}, exchange{"PATCH", batchPath, "", "Content-Length: 0\r\n", ""})
	for _, method := range []string{"GET", "HEAD", "DELETE"} {
		send(c, exchange{method, entry, "/v1/cache/", "", ""}, exchange{method, entry, "/v1/cache/none", "", ""}, exchange{method, entry, k, "", ""})
	}
	for path := range s.fixed {
		send(c, exchange{"GET", path, "", "", ""}, exchange{"HEAD", path, "", "", ""}, exchange{"PATCH", path, "", "Content-Length: 0\r\n", ""})
	}
	send(c, exchange{"PATCH", entry, k, "Content-Length: 0\r\n", ""}, exchange{"GET", "other", "/v2", "", ""})
	for method, path := range map[string]string{"PUT": entry, "POST": batchPath} {
		target := strings.ReplaceAll(path, "{key}", "k")
		send(s.dial(t), exchange{method, path, target, typed + "Content-Length: 1048577\r\n", pattern(1<<20 + 1)})
		send(s.dial(t), exchange{method, path, target, typed + "Content-Length: 10\r\n", "slow"})
	}
	send(s.dial(t), exchange{"ANY", "every", "/healthz", "X: " + strings.Repeat("x", 9000) + "\r\n", ""})
	send(s.dial(t), exchange{"ANY", "every", "/a b", "", ""})
	slow := s.dial(t)
	_, _ = io.WriteString(slow, "GET /heal")
	add("ANY", "every", slow.read("GET"))

	s.closing.Store(true)
	for _, method := range []string{"GET", "HEAD"} {
		send(s.dial(t), exchange{method, "/readyz", "", "", ""})
	}
	s.metrics.registry.MustRegister(brokenCollector{})
	for _, method := range []string{"GET", "HEAD"} {
		send(s.dial(t), exchange{method, "/metrics", "", "", ""})
	}

	s = start(t, cache.Options{}, Options{PayloadBytes: 4 << 20, PayloadWait: time.Millisecond, MaxConnections: 1})
	c = s.dial(t)
	send(c, exchange{"PUT", entry, k, "", pattern(100_000)})
	// The budget, once the PUT's buffer is back in it.
	eventually(t, "the whole budget is free", 10*time.Second, func() bool { return s.payloads.budget.TryAcquire(4 << 20) })
	send(c, exchange{"GET", entry, k, "", ""})
	add("ANY", "every", s.dial(t).read("GET"))
	get := string(getOp("k").Append(nil))
	send(c, exchange{"POST", batchPath, "", fmt.Sprintf("%sContent-Length: %d\r\n", typed, len(get)), get})
	eventually(t, "another connection is served", 10*time.Second, func() bool {
		_ = c.Close()
		c = s.dial(t)
		_, _ = fmt.Fprintf(c, "PUT %s HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n%s", k, pattern(100_000))
		a, err := c.tryRead("PUT")
		if err != nil || strings.Contains(string(a.body), "connections are open") {
			return false
		}
		add("PUT", entry, a)
		return true
	})
	return all
}

// brokenCollector makes the gathering of metrics fail.
type brokenCollector struct{}

func (brokenCollector) Describe(chan<- *prometheus.Desc) {}
func (brokenCollector) Collect(out chan<- prometheus.Metric) {
	out <- prometheus.NewInvalidMetric(prometheus.NewInvalidDesc(errors.New("broken")), errors.New("broken"))
}

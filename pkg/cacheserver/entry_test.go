package cacheserver

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

func TestEntryLifeCycle(t *testing.T) {
	var now atomic.Int64
	s := start(t, cache.Options{Clock: func() time.Duration { return time.Duration(now.Load()) }}, Options{})
	c := s.dial(t)
	const k = "/v1/cache/k"
	c.do("GET", k, "", "").want(t, "GET before", 404)
	c.do("HEAD", k, "", "").want(t, "HEAD before", 404)
	c.do("DELETE", k, "", "").want(t, "DELETE before", 404)
	c.do("PUT", k+"?ttl=60", "", "hello").want(t, "PUT", 204)
	now.Store(int64(1500 * time.Millisecond))
	for _, method := range []string{"GET", "HEAD"} {
		a := c.do(method, k, "", "")
		a.want(t, method, 200)
		h := a.Header
		if h.Get("Age") != "1" || h.Get("Cache-TTL") != "59" || h.Get("Content-Length") != "5" ||
			h.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("%s: header %v", method, h)
		}
		if want := map[string]string{"GET": "hello", "HEAD": ""}[method]; string(a.body) != want {
			t.Errorf("%s: body %q, want %q", method, a.body, want)
		}
	}
	c.do("PUT", k, "", "for ever").want(t, "PUT again", 204)
	a := c.do("GET", k, "", "")
	if ttl, ok := a.Header["Cache-Ttl"]; ok || string(a.body) != "for ever" {
		t.Errorf("without ttl: %q, Cache-TTL %v", a.body, ttl)
	}
	c.do("DELETE", k, "", "").want(t, "DELETE", 204)
	c.do("GET", k, "", "").want(t, "GET after", 404)
	for _, method := range []string{"POST", "PATCH", "OPTIONS"} {
		a := c.do(method, k, "Content-Length: 0\r\n", "")
		a.want(t, method, 405)
		if a.Header.Get("Allow") != entryMethods {
			t.Errorf("%s: Allow %q", method, a.Header.Get("Allow"))
		}
	}
}

// J1, over HTTP: the same bytes back or 413, never 2xx and then a miss.
func TestJ1SizesRoundTripOrAreRefused(t *testing.T) {
	const limit = 200_000
	s := start(t, cache.Options{MaxValueSize: limit}, Options{})
	c := s.dial(t)
	for _, size := range []int{0, 1, 4095, 4096, 4097, 8144, smallValue - 1, smallValue, smallValue + 1, 65535, 65536, 65537, limit - 1, limit} {
		body := pattern(size)
		chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", size, body)
		if size == 0 {
			chunked = "0\r\n\r\n"
		}
		for name, send := range map[string]func() answer{
			"length":  func() answer { return c.do("PUT", "/v1/cache/k", "", body) },
			"chunked": func() answer { return c.do("PUT", "/v1/cache/k", "Transfer-Encoding: chunked\r\n", chunked) },
			"expect": func() answer {
				a := c.do("PUT", "/v1/cache/k", fmt.Sprintf("Expect: 100-continue\r\nContent-Length: %d\r\n", size), body)
				if a.StatusCode == http.StatusContinue {
					a = c.read("PUT")
				}
				return a
			},
		} {
			c.do("DELETE", "/v1/cache/k", "", "")
			send().want(t, fmt.Sprintf("PUT %d by %s", size, name), 204)
			a := c.do("GET", "/v1/cache/k", "", "")
			a.want(t, "GET", 200)
			if string(a.body) != body {
				t.Fatalf("size %d by %s: %d other bytes came back", size, name, len(a.body))
			}
			if h := c.do("HEAD", "/v1/cache/k", "", ""); h.ContentLength != int64(size) {
				t.Errorf("HEAD at size %d says %d", size, h.ContentLength)
			}
		}
	}
	over := pattern(limit + 1)
	for name, header := range map[string]string{
		"length":  fmt.Sprintf("Content-Length: %d\r\n", len(over)),
		"chunked": "Transfer-Encoding: chunked\r\n",
		"expect":  fmt.Sprintf("Expect: 100-continue\r\nContent-Length: %d\r\n", len(over)),
	} {
		body := map[string]string{"length": over, "chunked": fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(over), over)}[name]
		a := s.dial(t).do("PUT", "/v1/cache/k", header, body)
		a.want(t, "one byte too many by "+name, 413)
		if !a.Close || !strings.Contains(string(a.body), strconv.Itoa(limit)) {
			t.Errorf("413 by %s: close %v, body %q does not name the limit", name, a.Close, a.body)
		}
	}
	if a := c.do("GET", "/v1/cache/k", "", ""); len(a.body) != limit {
		t.Errorf("a refused PUT changed the entry: %d bytes", len(a.body))
	}
}

// J2: no other activity is needed for an entry to end.
func TestJ2ExpiredIsAMiss(t *testing.T) {
	var now atomic.Int64
	s := start(t, cache.Options{Clock: func() time.Duration { return time.Duration(now.Load()) }}, Options{})
	c := s.dial(t)
	c.do("PUT", "/v1/cache/k?ttl=1", "", "v").want(t, "PUT", 204)
	now.Store(int64(time.Second) - 1)
	if a := c.do("GET", "/v1/cache/k", "", ""); a.StatusCode != http.StatusOK || a.Header.Get("Cache-TTL") != "1" {
		t.Errorf("just before: %d, Cache-TTL %q", a.StatusCode, a.Header.Get("Cache-TTL"))
	}
	now.Store(int64(1010 * time.Millisecond))
	c.do("GET", "/v1/cache/k", "", "").want(t, "GET at 1.01 s", 404)
}

// J9: seconds from now or 400, by query and by header.
func TestJ9TTL(t *testing.T) {
	s := start(t, cache.Options{}, Options{})
	c := s.dial(t)
	for text, want := range map[string]int{
		"0": 204, "1": 204, "2592000": 204, "2592001": 204, "315360000": 204, "007": 204,
		"315360001": 400, strconv.Itoa(1 << 31): 400, strconv.Itoa(math.MaxInt64): 400, "9223372036854775808": 400,
		"-1": 400, "+1": 400, "1.5": 400, "1e9": 400, "": 400, "5s": 400, "0x10": 400, "%31": 400, "1&ttl=2": 400, "null": 400,
	} {
		c.do("DELETE", "/v1/cache/k", "", "")
		a := c.do("PUT", "/v1/cache/k?ttl="+text, "", "v")
		a.want(t, "ttl="+text, want)
		if want == 400 {
			c.do("GET", "/v1/cache/k", "", "").want(t, "GET after a refused ttl", 404)
			if text != "" && !strings.Contains(text, "&") {
				c.do("PUT", "/v1/cache/k", "Content-Length: 1\r\nCache-TTL: "+text+"\r\n", "v").want(t, "Cache-TTL: "+text, 400)
			}
			continue
		}
		a = c.do("GET", "/v1/cache/k", "", "")
		a.want(t, "GET with ttl="+text, 200)
		seconds, _ := strconv.Atoi(text)
		left, _ := strconv.Atoi(a.Header.Get("Cache-TTL"))
		if left > seconds || left < seconds-60 {
			t.Errorf("ttl=%s: %d s left", text, left)
		}
	}
	c.do("PUT", "/v1/cache/k?ttl=5", "Content-Length: 1\r\nCache-TTL: 5\r\n", "v").want(t, "both, equal", 204)
	c.do("PUT", "/v1/cache/k?ttl=5", "Content-Length: 1\r\nCache-TTL: 6\r\n", "v").want(t, "both, different", 400)
	c.do("PUT", "/v1/cache/k", "Content-Length: 1\r\nCache-TTL:\r\n", "v").want(t, "empty header", 400)
	for _, query := range []string{"?tll=5", "?", "?TTL=5", "?ttl=5&x=1", "?x=1&ttl=5"} {
		c.do("PUT", "/v1/cache/k"+query, "", "v").want(t, query, 400)
	}
	for _, method := range []string{"GET", "DELETE", "HEAD"} {
		c.do(method, "/v1/cache/k?ttl=5", "", "").want(t, method+" with a query", 400)
	}
}

// J13: keys are bytes; distinct keys stay distinct.
func TestJ13KeysAreByteExact(t *testing.T) {
	s := start(t, cache.Options{}, Options{})
	c := s.dial(t)
	keys := map[string]string{ // escaped -> bytes
		"a%2Fb": "a/b", "a%252Fb": "a%2Fb", "a+b": "a+b", "a%20b": "a b", "/": "/", "//": "//", "a//b": "a//b",
		"..": "..", "../..": "../..", "a/../b": "a/../b", ".": ".", "%3F": "?", "%23": "#", "%00": "\x00", "a%0Ab": "a\nb", "%0d%0A": "\r\n",
		"%C3%A9": "é", "e%CC%81": "e\u0301", "%ff%FE": "\xff\xfe", "\xc3\xa9x": "éx", "a%": "", "%zz": "", "%2": "", "a#b": "", "": "",
		"http://h/x": "http://h/x", "a;b=c&d": "a;b=c&d", "%25": "%", "a\\b": `a\b`, "A": "A", "a": "a",
		strings.Repeat("%41", 1024): strings.Repeat("A", 1024), strings.Repeat("x", 1025): "",
	}
	for escaped, raw := range keys {
		target := "/v1/cache/" + escaped
		if raw == "" {
			c.do("PUT", target, "", "x").want(t, escaped, 400)
			c.do("GET", target, "", "").want(t, escaped, 400)
			continue
		}
		c.do("PUT", target, "", "value of "+raw).want(t, escaped, 204)
	}
	for escaped, raw := range keys {
		if raw == "" {
			continue
		}
		if a := c.do("GET", "/v1/cache/"+escaped, "", ""); string(a.body) != "value of "+raw {
			t.Errorf("%q: %d %q, want the value of %q", escaped, a.StatusCode, a.body, raw)
		}
		if v, _, ok := s.cache.Get(nil, []byte(raw)); !ok || string(v) != "value of "+raw {
			t.Errorf("the engine has %q under %q", v, raw)
		}
	}
	// The absolute form, as proxies send it.
	if a := c.do("GET", "http://host:8080/v1/cache/a//b", "", ""); string(a.body) != "value of a//b" {
		t.Errorf("absolute form: %d %q", a.StatusCode, a.body)
	}
}

// J14: key routes never redirect.
func TestJ14NoRedirect(t *testing.T) {
	s := start(t, cache.Options{}, Options{})
	c := s.dial(t)
	for i, key := range []string{"a//b", "a/../b", "a/./b", "/a", "a/", "../../etc", "%2e%2e/x"} {
		for _, method := range []string{"PUT", "GET", "HEAD", "DELETE"} {
			a := c.do(method, "/v1/cache/"+key, "", map[string]string{"PUT": strconv.Itoa(i)}[method])
			if a.StatusCode >= 300 {
				t.Errorf("%s %s: %d, Location %q", method, key, a.StatusCode, a.Header.Get("Location"))
			}
		}
	}
	for _, path := range []string{"/", "/v1/cache", "//v1/cache/k", "/v1//cache/k", "/v1/cache%2Fk", "/V1/cache/k", "/v1/stats/"} {
		c.do("GET", path, "", "").want(t, path, 404)
	}
}

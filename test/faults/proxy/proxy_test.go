//go:build integration

package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const object = "/api/v1/namespaces/ns/configmaps/orders-ring"

// between puts a proxy before an API server that says what it was asked.
func between(t *testing.T, server http.HandlerFunc) (*Proxy, string) {
	t.Helper()
	upstream := httptest.NewServer(server)
	t.Cleanup(upstream.Close)
	u, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	p := New(u, http.DefaultTransport)
	front := httptest.NewServer(p)
	t.Cleanup(front.Close)
	return p, front.URL
}

// send gives the answer's code, 0 for a connection that was closed.
func send(t *testing.T, method, url string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func TestClassify(t *testing.T) {
	for _, tc := range []struct {
		request string
		want    string
	}{
		{"GET " + object, ""},
		{"PATCH " + object, "PATCH configmaps orders-ring in ns"},
		{"PATCH /apis/cache.sk1.services.com/v1alpha1/namespaces/ns/distributedcaches/orders/status", "PATCH distributedcaches/status orders in ns"},
		{"POST /apis/apps/v1/namespaces/ns/statefulsets", "POST statefulsets  in ns"},
		{"DELETE /api/v1/namespaces/ns", "DELETE namespaces ns in "},
		{"PATCH /api/v1/namespaces/cache-ns", "PATCH namespaces cell in ns"},
		{"PATCH /api/v1/namespaces/cache-ns/configmaps/ns-ring", "PATCH configmaps orders-ring in ns"},
		{"PATCH /apis/cache.sk1.services.com/v1alpha1/namespaces/ns/distributedcaches/ns/status", "PATCH distributedcaches/status orders in ns"},
		{"PUT /api/v1/namespaces/ns/finalize", "PUT namespaces/finalize ns in "},
		{"PUT /apis/coordination.k8s.io/v1/namespaces/ns/leases/x", ""},
		{"POST /apis/events.k8s.io/v1/namespaces/ns/events", ""},
		{"POST /apis/authentication.k8s.io/v1/tokenreviews", ""},
		{"POST /healthz", ""},
	} {
		method, path, _ := strings.Cut(tc.request, " ")
		w, ok := classify(httptest.NewRequest(method, path, nil))
		got := ""
		if ok {
			got = fmt.Sprintf("%s in %s", w.Site, w.Namespace)
		}
		if got != tc.want {
			t.Errorf("%s is %q, want %q", tc.request, got, tc.want)
		}
	}
}

func TestRules(t *testing.T) {
	released := make(chan struct{})
	close(released)
	for _, tc := range []struct {
		name    string
		rule    Rule
		answers []int
		reached int32
	}{
		{"passes", Rule{}, []int{200, 200}, 2},
		{"delays", Rule{Delay: time.Millisecond}, []int{200, 200}, 2},
		{"holds until released", Rule{Hold: released}, []int{200, 200}, 2},
		{"drops before", Rule{Drop: Early, Times: 1}, []int{0, 200}, 1},
		{"drops after the commit", Rule{Drop: Late, Times: 1}, []int{0, 200}, 2},
		{"replies 409", Rule{Code: 409, Times: 1}, []int{409, 200}, 1},
		{"replies 429", Rule{Code: 429, Times: 1}, []int{429, 200}, 1},
		{"replies 500 always", Rule{Code: 500}, []int{500, 500}, 0},
		{"picks the second", Rule{Code: 503, Match: func(w Write) bool { return w.Turn == 2 }}, []int{200, 503}, 1},
		{"is for its matches only", Rule{Code: 503, Match: func(w Write) bool { return w.Resource == "pods" }}, []int{200, 200}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var reached atomic.Int32
			p, front := between(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
			p.Arm("ns", tc.rule)
			var answers []int
			for range tc.answers {
				answers = append(answers, send(t, http.MethodPatch, front+object))
			}
			if diff := cmp.Diff(tc.answers, answers); diff != "" || reached.Load() != tc.reached {
				t.Errorf("reached %d times, want %d, -want +answered:\n%s", reached.Load(), tc.reached, diff)
			}
		})
	}
}

// A hook sees the world as it is at its moment: the killing of an operator depends on it.
func TestHooks(t *testing.T) {
	var reached atomic.Int32
	p, front := between(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	var before, after int32 = -1, -1
	p.Arm("ns", Rule{
		Before: func(Write) { before = reached.Load() },
		After:  func(Write) { after = reached.Load() },
	})
	send(t, http.MethodPatch, front+object)
	if before != 0 || after != 1 {
		t.Errorf("before saw %d writes, after %d", before, after)
	}
	w := p.Writes("ns")
	if len(w) != 1 || w[0].Number != 1 || w[0].Code != 200 || string(w[0].Body) != "{}" {
		t.Errorf("the journal has %v", w)
	}
	p.Arm("other", Rule{Code: 500})
	if len(p.Writes("ns")) != 1 || send(t, http.MethodPatch, front+object) != 200 {
		t.Error("a rule reached beyond its namespace")
	}
}

func TestHoldEndsWithTheClient(t *testing.T) {
	var reached atomic.Int32
	p, front := between(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	armed := p.Arm("ns", Rule{Hold: make(chan struct{})})
	client := &http.Client{Timeout: 50 * time.Millisecond}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, front+object, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Do(request); err == nil || reached.Load() != 0 || armed.Hits() != 1 {
		t.Errorf("a held write got through: %v", err)
	}
	p.Disarm(armed)
	if send(t, http.MethodPatch, front+object) != 200 {
		t.Error("a rule that was taken out is at work")
	}
}

func TestFrozenWatchLosesNothing(t *testing.T) {
	more := make(chan string)
	p, front := between(t, func(w http.ResponseWriter, _ *http.Request) {
		for line := range more {
			_, _ = io.WriteString(w, line+"\n")
			_ = http.NewResponseController(w).Flush()
		}
	})
	defer close(more)
	lines := make(chan string, 3)
	go func() {
		response, err := http.Get(front + "/api/v1/pods?watch=true")
		if err != nil {
			return
		}
		for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	more <- "first"
	if got := <-lines; got != "first" {
		t.Fatalf("the watch brought %q", got)
	}
	release := p.FreezeWatches()
	more <- "second"
	select {
	case got := <-lines:
		t.Fatalf("a frozen watch brought %q", got)
	case <-time.After(100 * time.Millisecond):
	}
	release()
	if got := <-lines; got != "second" {
		t.Errorf("the released watch brought %q", got)
	}
}

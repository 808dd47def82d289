//go:build integration

package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fetch gives what a read brings, to the end of the answer.
func fetch(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "nothing"
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "broken off"
	}
	return fmt.Sprintf("%d %s", response.StatusCode, strings.TrimSpace(string(body)))
}

func TestAge(t *testing.T) {
	p, front := between(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.RawQuery) })
	age := p.Age("7", "pods")
	for _, tc := range []struct{ name, request, want string }{
		{"an informer's list is old", "/api/v1/pods?limit=500&resourceVersion=0", "200 limit=500&resourceVersion=7&resourceVersionMatch=Exact"},
		{"a live list is not", "/api/v1/namespaces/ns/pods?limit=500", "200 limit=500"},
		{"a live object is not", "/api/v1/namespaces/ns/pods/a-0?resourceVersion=0", "200 resourceVersion=0"},
		{"another list is not", "/api/v1/services?resourceVersion=0", "200 resourceVersion=0"},
		{"another stream begins with a list", "/api/v1/services?sendInitialEvents=true&watch=true", "200 sendInitialEvents=true&watch=true"},
	} {
		if got := fetch(t, front+tc.request); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
	if got := fetch(t, front+"/api/v1/pods?sendInitialEvents=true&watch=true"); !strings.HasPrefix(got, "422 ") || !strings.Contains(got, "WatchList feature gate") {
		t.Errorf("a stream begins with a list: %s", got)
	}
	if diff := cmp.Diff([]string{"pods"}, age.Served()); diff != "" {
		t.Errorf("-want +served:\n%s", diff)
	}
	brought := make(chan string, 1)
	go func() { brought <- fetch(t, front+"/api/v1/pods?watch=true") }()
	select {
	case got := <-brought:
		t.Fatalf("an old watch brought %q", got)
	case <-time.After(100 * time.Millisecond):
	}
	p.Renew(age)
	if got := <-brought; got != "200 watch=true" {
		t.Errorf("the renewed watch brought %q", got)
	}
	if got := fetch(t, front+"/api/v1/pods?resourceVersion=0"); got != "200 resourceVersion=0" {
		t.Errorf("a list is still old: %s", got)
	}
}

func TestCutWatches(t *testing.T) {
	p, front := between(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("resourceVersion") == "5" {
			_, _ = io.WriteString(w, "goes on")
			return
		}
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	brought := make(chan string, 1)
	go func() { brought <- fetch(t, front+"/api/v1/pods?watch=true") }()
	for wait := time.Now().Add(5 * time.Second); p.Watches() == 0 && time.Now().Before(wait); time.Sleep(time.Millisecond) {
		continue
	}
	if closed := p.CutWatches(); closed != 1 {
		t.Errorf("%d watches were cut", closed)
	}
	if got := <-brought; got != "broken off" && got != "nothing" {
		t.Errorf("a watch that was cut brought %q", got)
	}
	again := front + "/api/v1/pods?watch=true&resourceVersion=5"
	if got := fetch(t, again); !strings.Contains(got, `"type":"ERROR"`) || !strings.Contains(got, `"code":410`) {
		t.Errorf("a watch that comes back brought %q", got)
	}
	if got := fetch(t, again); got != "200 goes on" || p.Expired() != 1 {
		t.Errorf("the next one brought %q, and %d were told that they are too old", got, p.Expired())
	}
}

//go:build integration

package proxy

import (
	"net/http"
	"slices"
	"sync"
)

// Age is how old the data is that informers begin with.
//
// A list that says resourceVersion=0 takes whatever the API server has, and one that lags behind
// has old data: such a list is made to ask for the data of a revision, so that a real server
// answers with what it really was. A list without a resourceVersion, as a live read is, asks for
// the newest data, and no API server may answer it with other: it passes as it came.
type Age struct {
	revision  string
	resources []string
	watches   *gate
	open      func()

	mu     sync.Mutex
	served map[string]int
}

// noStreams is what an API server says that cannot begin a watch with a list. One that can begins
// it with the newest data, so old data reaches a client only by the list that it falls back to.
const noStreams = `ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: ` +
	`sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled`

// Age serves the lists of some resources, of all if none is named, as they were at a revision, and
// holds back everything that watches bring after that, until it is renewed.
func (p *Proxy) Age(revision string, resources ...string) *Age {
	a := &Age{revision: revision, resources: resources, watches: newGate(), served: map[string]int{}}
	a.open = a.watches.shut()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.age = a
	return a
}

// Renew lets the watches bring what they held back, and lists be as they are.
func (p *Proxy) Renew(a *Age) {
	p.mu.Lock()
	if p.age == a {
		p.age = nil
	}
	p.mu.Unlock()
	a.open()
}

// Served are the resources that old lists were asked of.
func (a *Age) Served() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var served []string
	for resource := range a.served {
		served = append(served, resource)
	}
	slices.Sort(served)
	return served
}

func (p *Proxy) ageOf(resource string) *Age {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.age == nil || len(p.age.resources) > 0 && !slices.Contains(p.age.resources, resource) {
		return nil
	}
	return p.age
}

// list is the request as it is to be forwarded.
func (a *Age) list(r *http.Request) *http.Request {
	query := r.URL.Query()
	if query.Get("resourceVersion") != "0" {
		return r
	}
	site, _, _ := locate(r)
	a.mu.Lock()
	a.served[site.Resource]++
	a.mu.Unlock()
	query.Set("resourceVersion", a.revision)
	query.Set("resourceVersionMatch", "Exact")
	old := r.Clone(r.Context())
	old.URL.RawQuery = query.Encode()
	return old
}

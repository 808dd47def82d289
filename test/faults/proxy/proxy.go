//go:build integration

// Package proxy stands between the operator and the API server and makes their connection fail in
// chosen places.
//
// Its law: it changes nothing but what a rule says. What it forwards is forwarded as it came, what
// it does not forward never reaches the API server, and every write is in its journal.
package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync"
)

// Proxy is one connection between an operator and an API server.
type Proxy struct {
	forward *httputil.ReverseProxy
	journal journal
	watches *gate
	open    streams

	mu    sync.Mutex
	rules []*Armed
	age   *Age
}

// New makes a proxy for an API server, which the transport logs in to.
func New(server *url.URL, transport http.RoundTripper) *Proxy {
	p := &Proxy{journal: journal{writes: map[string][]Write{}}, watches: newGate()}
	p.forward = &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(server) },
		Transport: transport,
		// A watch's events are passed on as they come.
		FlushInterval:  -1,
		ModifyResponse: p.answered,
		// A failure on the other side looks like one of the connection.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		// What is cut off on purpose is no news.
		ErrorLog: log.New(io.Discard, "", 0),
	}
	return p
}

// Arm puts a rule to work for the writes in a namespace and begins to number them anew. The rule
// that was armed last and takes a write decides.
func (p *Proxy) Arm(namespace string, rule Rule) *Armed {
	match := rule.Match
	rule.Match = func(w Write) bool { return w.Namespace == namespace && (match == nil || match(w)) }
	p.journal.reset(namespace)
	armed := &Armed{Rule: rule}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, armed)
	return armed
}

// Disarm takes a rule out.
func (p *Proxy) Disarm(armed *Armed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = slices.DeleteFunc(p.rules, func(a *Armed) bool { return a == armed })
}

// Writes are those in a namespace since a rule was last armed for it.
func (p *Proxy) Writes(namespace string) []Write { return p.journal.of(namespace) }

// FreezeWatches holds back everything that watches bring until the result is called.
func (p *Proxy) FreezeWatches() func() { return p.watches.shut() }

type passing struct {
	write Write
	rule  Rule
}

type passingKey struct{}

// ServeHTTP passes a request on, or does what a rule says.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	write, ok := classify(r)
	if !ok {
		p.read(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	write.Body = body
	write = p.journal.enter(write)
	rule := p.rule(write)
	if rule.Before != nil {
		rule.Before(write)
	}
	if err := rule.wait(r.Context()); err != nil || rule.Drop == Early {
		panic(http.ErrAbortHandler)
	}
	if rule.Code != 0 {
		reply(w, rule.Code, "refused by the fault proxy")
		return
	}
	p.forward.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), passingKey{}, passing{write, rule})))
}

func (p *Proxy) rule(w Write) Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, armed := range slices.Backward(p.rules) {
		if armed.takes(w) {
			return armed.Rule
		}
	}
	return Rule{}
}

var errDropped = errors.New("dropped after the answer")

// answered sees the API server's answers before the operator does.
func (p *Proxy) answered(response *http.Response) error {
	ctx := response.Request.Context()
	if g, ok := ctx.Value(gateKey{}).(*gate); ok {
		response.Body = gated{response.Body, g, ctx.Done()}
		return nil
	}
	passed, ok := ctx.Value(passingKey{}).(passing)
	if !ok {
		return nil
	}
	passed.write.Code = response.StatusCode
	p.journal.answered(passed.write)
	if passed.rule.After != nil {
		passed.rule.After(passed.write)
	}
	if passed.rule.Drop == Late {
		return errDropped
	}
	return nil
}

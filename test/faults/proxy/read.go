//go:build integration

package proxy

import (
	"context"
	"net/http"
)

// gateKey finds, in the context of a watch, what its events have to pass.
type gateKey struct{}

// read passes on a request that writes nothing, or does what the age of the data and the state of
// the streams ask for.
func (p *Proxy) read(w http.ResponseWriter, r *http.Request) {
	site, _, ok := locate(r)
	if !ok || r.Method != http.MethodGet || site.Name != "" {
		p.forward.ServeHTTP(w, r)
		return
	}
	query, age := r.URL.Query(), p.ageOf(site.Resource)
	watching := query.Get("watch") != ""
	switch {
	case age != nil && !watching:
		p.forward.ServeHTTP(w, age.list(r))
		return
	case !watching:
		p.forward.ServeHTTP(w, r)
		return
	case age != nil && query.Get("sendInitialEvents") != "":
		reply(w, http.StatusUnprocessableEntity, noStreams)
		return
	case query.Get("sendInitialEvents") == "" && p.open.expired(site.Resource, query.Get("resourceVersion")):
		expire(w)
		return
	}
	events := p.watches
	if age != nil {
		events = age.watches
	}
	ctx, done := p.open.enter(context.WithValue(r.Context(), gateKey{}, events), site.Resource)
	defer done()
	p.forward.ServeHTTP(w, r.WithContext(ctx))
}

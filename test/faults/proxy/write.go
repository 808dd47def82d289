//go:build integration

package proxy

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Site is a place in the operator's work at which it writes: what is done to which object.
type Site struct {
	Verb        string
	Resource    string
	Subresource string
	Name        string
}

// String is for tables and names of runs.
func (s Site) String() string {
	if s.Subresource != "" {
		return fmt.Sprintf("%s %s/%s %s", s.Verb, s.Resource, s.Subresource, s.Name)
	}
	return fmt.Sprintf("%s %s %s", s.Verb, s.Resource, s.Name)
}

// Write is one writing request.
type Write struct {
	Site
	Namespace string
	// Number counts the writes of a namespace from 1, Turn those at the same site.
	Number int
	Turn   int
	Body   []byte
	At     time.Time
	// Code is the API server's answer, 0 if it was not asked.
	Code int
}

// String is for histories.
func (w Write) String() string {
	return fmt.Sprintf("%s #%d %s, turn %d: %d", w.At.Format("15:04:05.000"), w.Number, w.Site, w.Turn, w.Code)
}

var verbs = []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// aside are the resources that are written beside the work: they change nothing that is planned on.
var aside = []string{"leases", "events", "tokenreviews", "subjectaccessreviews"}

// classify tells what a request writes, or that it does not.
func classify(r *http.Request) (Write, bool) {
	if !slices.Contains(verbs, r.Method) {
		return Write{}, false
	}
	site, namespace, ok := locate(r)
	site, namespace = home(site, namespace)
	return Write{Site: site, Namespace: namespace}, ok && !slices.Contains(aside, site.Resource)
}

// locate tells what a request is about, or that it is about no object.
func locate(r *http.Request) (site Site, namespace string, ok bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		parts = parts[3:]
	default:
		return Site{}, "", false
	}
	// A namespace is an object, too: only what lies below it is in it.
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		namespace, parts = parts[1], parts[2:]
	}
	site.Verb = r.Method
	for i, field := range []*string{&site.Resource, &site.Name, &site.Subresource} {
		if i < len(parts) {
			*field = parts[i]
		}
	}
	return site, namespace, true
}

// home tells of a cell as of the namespace that its cache is in, and of the cache as of any other:
// the tests name an isolated cache after its namespace, since the names of cells are the cluster's.
func home(site Site, namespace string) (Site, string) {
	if cell, ok := strings.CutPrefix(site.Name, "cache-"); ok && site.Resource == "namespaces" {
		site.Name, namespace = "cell", cell
	}
	namespace = strings.TrimPrefix(namespace, "cache-")
	if rest, ok := strings.CutPrefix(site.Name, namespace); ok && namespace != "" && (rest == "" || rest[0] == '-') {
		site.Name = "orders" + rest
	}
	return site, namespace
}

package kubeapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestApply(t *testing.T) {
	var path, kind, body string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		path, kind, body = r.Method+" "+r.URL.Path, r.Header.Get("Content-Type"), string(raw)
		if strings.Contains(body, "forbidden") {
			http.Error(w, "no", http.StatusForbidden)
		}
	}))
	defer web.Close()
	c := &Client{server: web.URL, http: web.Client()}
	tests := map[string]struct{ manifest, path, err string }{
		"a core object": {"apiVersion: v1\nkind: Node\nmetadata: {name: a}", "PATCH /api/v1/nodes/a", ""},
		"an object of a group": {
			"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'x:y'}",
			"PATCH /apis/rbac.authorization.k8s.io/v1/clusterroles/x:y", "",
		},
		"a refusal":          {"apiVersion: v1\nkind: Node\nmetadata: {name: forbidden}", "PATCH /api/v1/nodes/forbidden", "403"},
		"a nameless object":  {"apiVersion: v1\nkind: Node", "", "without"},
		"not even a mapping": {"- a", "", "read a manifest"},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			path = ""
			err := c.Apply(t.Context(), []byte(tt.manifest))
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v", err)
			}
			if path != tt.path {
				t.Errorf("asked %q, want %q", path, tt.path)
			}
			if path != "" && kind != "application/apply-patch+yaml" {
				t.Errorf("content type %q", kind)
			}
		})
	}
}

func TestNodes(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"items":[
			{"metadata":{"name":"new"}},
			{"metadata":{"name":"bad"},"status":{"addresses":[{}],"conditions":[{"type":"Ready","status":"False","message":"no network"}]}},
			{"metadata":{"name":"fake","annotations":{"kwok.x-k8s.io/node":"fake"}},"status":{"conditions":[{"type":"Ready","status":"True"}]}}]}`)
	}))
	defer web.Close()
	c := &Client{server: web.URL, http: web.Client()}
	got, err := c.Nodes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []Node{
		{Name: "new", Reason: "not registered"},
		{Name: "bad", Reason: "no network", Addressed: true},
		{Name: "fake", Ready: true, Fake: true},
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %+v, want %+v", got[i], want[i])
		}
	}
}

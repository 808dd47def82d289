package crfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/yaml"

	"github.com/sk1-services/distributed-cache/pkg/crfile"
)

func read(t *testing.T, path string) (*crfile.Contents, error) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return crfile.Read(file, filepath.Base(path), crfile.Options{Namespace: "shop"})
}

// Each file under testdata/bad is one that is refused; errors.txt beside them holds the words.
// UPDATE_GOLDEN=1 rewrites it.
func TestBadFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/bad/*.*")
	if err != nil {
		t.Fatal(err)
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, ".txt") })
	if len(paths) < 8 {
		t.Fatalf("only %d files", len(paths))
	}
	var b strings.Builder
	for _, path := range paths {
		contents, err := read(t, path)
		if err == nil {
			t.Errorf("%s was taken", path)
			continue
		}
		fmt.Fprintln(&b, err)
		for _, c := range contents.Caches {
			fmt.Fprintf(&b, "  but %s is right: %s/%s\n", c.Position, c.Cache.Namespace, c.Cache.Name)
		}
		fmt.Fprintln(&b)
	}
	golden(t, "testdata/bad/errors.txt", b.String())
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: run make golden", err)
	}
	if !bytes.Equal(want, []byte(got)) {
		t.Errorf("%s differs: run make golden and look at the diff. Got:\n%s", file, got)
	}
}

const head = "apiVersion: cache.sk1.services.com/v1alpha1\nkind: DistributedCache\nmetadata: {name: a}\n"

// What the API server says of bad input, which the integration tests hold it to, is said here too.
func TestAPIServersWords(t *testing.T) {
	for name, tc := range map[string]struct{ spec, says string }{
		"negative replicas":           {"{replicas: -1}", "spec.replicas in body should be greater than or equal to 0"},
		"too many replicas":           {"{replicas: 1001}", "spec.replicas in body should be less than or equal to 1000"},
		"little memory as a number":   {"{memoryPerPod: 1}", "memoryPerPod must be at least 64Mi"},
		"much memory":                 {"{memoryPerPod: 2Ti}", "memoryPerPod must be at most 1Ti; use more replicas instead"},
		"a fraction of a byte":        {"{memoryPerPod: 134217728500m}", "memoryPerPod must be a whole number of bytes, for example 128Mi"},
		"memory that is no quantity":  {"{memoryPerPod: lots}", "spec.memoryPerPod in body should match"},
		"long grace":                  {"{drain: {gracePeriodSeconds: 3601}}", "spec.drain.gracePeriodSeconds in body should be less than or equal to 3600"},
		"an image with a space":       {"{image: 'tiny cache'}", "image must be an image reference without white space, for example 'registry.example.com/tiny-cache:v1'"},
		"a label of the operator":     {"{pod: {labels: {app.kubernetes.io/name: x}}}", "pod.labels may not use the prefixes app.kubernetes.io/ and cache.sk1.services.com/, which the operator sets; choose another key"},
		"a memory limit":              {"{pod: {resources: {limits: {memory: 1Gi}}}}", "pod.resources.limits may hold cpu only; memory comes from spec.memoryPerPod"},
		"an unknown pull policy":      {"{pod: {imagePullPolicy: Sometimes}}", `supported values: "Always", "IfNotPresent", "Never"`},
		"clients without a cell":      {"{tenant: {clients: [{matchLabels: {a: b}}]}}", "tenant.clients needs tenant.isolate: true; a cache that is not isolated can be reached from every namespace"},
		"a selector that selects all": {"{tenant: {isolate: true, clients: [{matchLabels: {}, matchExpressions: []}]}}", "an empty selector would admit every namespace"},
		"a duplicate list key":        {"{pod: {imagePullSecrets: [{name: a}, {name: a}]}}", `spec.pod.imagePullSecrets[1]: Duplicate value`},
		"rules that were not checked": {"{replicas: x, memoryPerPod: 1}", "some validation rules were not checked because the object was invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := crfile.Read(strings.NewReader(head+"spec: "+tc.spec), "f", crfile.Options{})
			if err == nil || !strings.Contains(err.Error(), tc.says) || !apierrors.IsInvalid(err) {
				t.Errorf("got %v, want an Invalid that says %s", err, tc.says)
			}
		})
	}
}

// What the integration tests see of the API server.
func TestDefaults(t *testing.T) {
	contents, err := crfile.Read(strings.NewReader(head), "f", crfile.Options{})
	if err != nil || len(contents.Caches) != 1 {
		t.Fatalf("%v, %v", contents, err)
	}
	data, err := yaml.Marshal(contents.Caches[0].Cache)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/defaults.yaml", string(data))
}

func TestPositions(t *testing.T) {
	const list = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: p}}\n- {apiVersion: cache.sk1.services.com/v1alpha1, kind: DistributedCache, metadata: {name: b}}\n"
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"one":                    {head, []string{"f:1 (document 1)"}},
		"a mark at the end":      {head + "---\n", []string{"f:1 (document 1)"}},
		"remarks first":          {"# a\n\n# b\n---\n# c\n" + head, []string{"f:6 (document 1)"}},
		"text beside the mark":   {"--- # a\n" + head + "--- {apiVersion: cache.sk1.services.com/v1alpha1, kind: DistributedCache, metadata: {name: b}}", []string{"f:2 (document 1)", "f:5 (document 2)"}},
		"ended, and a second":    {head + "...\n" + head, []string{"f:1 (document 1)", "f:5 (document 2)"}},
		"a list":                 {"\n" + list, []string{"f:2 (document 1, item 2)"}},
		"Windows":                {"\xef\xbb\xbf---\r\n" + strings.ReplaceAll(head, "\n", "\r\n"), []string{"f:2 (document 1)"}},
		"JSON, two in one":       {"\n" + `{"apiVersion": "cache.sk1.services.com/v1alpha1", "kind": "DistributedCache", "metadata": {"name": "a"}}` + "\n" + `{"apiVersion": "v1", "kind": "Pod"} {"apiVersion": "cache.sk1.services.com/v1alpha1", "kind": "DistributedCache", "metadata": {"name": "b"}}`, []string{"f:2 (document 1)", "f:3 (document 3)"}},
		"a flow that is no JSON": {"{apiVersion: cache.sk1.services.com/v1alpha1, kind: DistributedCache, metadata: {name: a}}", []string{"f:1 (document 1)"}},
	} {
		t.Run(name, func(t *testing.T) {
			contents, err := crfile.Read(strings.NewReader(tc.text), "f", crfile.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range contents.Caches {
				got = append(got, c.String())
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is on fire") }

func TestUnreadable(t *testing.T) {
	if _, err := crfile.Read(broken{}, "f", crfile.Options{}); err == nil || err.Error() != "f: the disk is on fire" {
		t.Errorf("got %v", err)
	}
	if _, err := crfile.Read(strings.NewReader(strings.Repeat("#", 17<<20)), "f", crfile.Options{}); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("got %v", err)
	}
}

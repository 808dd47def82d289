package crfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/crfile"
)

const image = "registry.example.com/tiny-cache:v1"

// The samples are valid, and testdata/rendered shows what the operator applies for them.
// UPDATE_GOLDEN=1 rewrites it.
func TestSamples(t *testing.T) {
	for _, name := range []string{"orders-cache", "full-cache", "isolated-cache"} {
		for kind, settled := range map[string]bool{"settled": true, "first": false} {
			t.Run(name+"-"+kind, func(t *testing.T) {
				r := rendered(t, sole(t, filepath.Join("../../config/samples", name+".yaml")), settled)
				var b strings.Builder
				for _, note := range r.Notes {
					fmt.Fprintf(&b, "# %s\n", note)
				}
				if err := r.Write(&b); err != nil {
					t.Fatal(err)
				}
				golden(t, filepath.Join("testdata/rendered", name+"-"+kind+".yaml"), b.String())
			})
		}
	}
}

func sole(t *testing.T, path string) *v1alpha1.DistributedCache {
	t.Helper()
	contents, err := read(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if len(contents.Caches) != 1 {
		t.Fatalf("%s holds %d caches", path, len(contents.Caches))
	}
	return contents.Caches[0].Cache
}

func rendered(t *testing.T, cache *v1alpha1.DistributedCache, settled bool) *crfile.Rendering {
	t.Helper()
	r, err := crfile.Render(cache, image, settled)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is rendered here is what pkg/render's golden files show, but for what its cases assume: the
// cache's generation, the ring's version, and the namespaces that a label selects.
func TestRendersAsTheOperator(t *testing.T) {
	dirs, err := filepath.Glob("../render/testdata/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			cache := sole(t, filepath.Join(dir, "cache.yaml"))
			cache.UID = types.UID("11111111-2222-3333-4444-555555555555")
			cache.Generation = 3
			var b strings.Builder
			if err := rendered(t, cache, true).Write(&b); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join(dir, "objects.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			assumed := strings.NewReplacer(`"version":7`, `"version":1`,
				"- apiGroup: rbac.authorization.k8s.io\n  kind: Group\n  name: system:serviceaccounts:web\n", "")
			if w, g := objects(t, assumed.Replace(string(want))), objects(t, b.String()); !reflect.DeepEqual(w, g) {
				t.Errorf("got\n%s\nwant\n%s", b.String(), want)
			}
		})
	}
}

func objects(t *testing.T, text string) []map[string]any {
	t.Helper()
	var list []map[string]any
	for document := range strings.SplitSeq(text, "---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatal(err)
		}
		list = append(list, object)
	}
	return list
}

func TestSizes(t *testing.T) {
	for _, n := range []int32{0, 1, 11, 1000} {
		cache := &v1alpha1.DistributedCache{}
		cache.Name, cache.Spec.Replicas = "a", &n
		cache.Spec.Tenant.Isolate = true
		if got := len(rendered(t, cache, true).Objects); got != 8 {
			t.Errorf("%d replicas: %d objects, want the fence, the Service, the StatefulSet and the ring", n, got)
		}
		if got := len(rendered(t, cache, false).Objects); got != 5 && n > 0 {
			t.Errorf("%d replicas: %d objects at first, want the fence alone", n, got)
		}
	}
}

func TestPausedIsNoted(t *testing.T) {
	cache := &v1alpha1.DistributedCache{}
	cache.Name, cache.Spec.Paused = "a", true
	r := rendered(t, cache, true)
	if notes := strings.Join(r.Notes, "\n"); len(r.Objects) != 3 || !strings.Contains(notes, "paused") {
		t.Errorf("%d objects, notes: %s", len(r.Objects), notes)
	}
	if cache.UID != "" || !cache.Spec.Paused {
		t.Error("the cache was changed")
	}
}

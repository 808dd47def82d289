package render_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/render"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

var options = render.Options{CacheImage: "registry.example.com/tiny-cache:v1"}

// load reads the cache of a case, strictly, and gives it what the API server would.
func load(t *testing.T, dir string) *v1alpha1.DistributedCache {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "cache.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	cache := &v1alpha1.DistributedCache{}
	if err := yaml.UnmarshalStrict(data, cache); err != nil {
		t.Fatal(err)
	}
	cache.Namespace = "shop"
	cache.Generation = 3
	cache.UID = types.UID("11111111-2222-3333-4444-555555555555")
	return cache
}

func settled(cache *v1alpha1.DistributedCache) plan.Plan {
	p := plan.Plan{Step: plan.StepSettle, Workload: true, Replicas: int(cache.WantedReplicas()), Partition: plan.GateClosed}
	if cache.Spec.Tenant.Isolate {
		memory := cache.Memory()
		p.Fence = &plan.Fence{Quota: plan.Quota{Pods: p.Replicas + 1, Memory: int64(p.Replicas) * memory.Value() * 5 / 4}, Readers: []string{"shop", "web"}}
	}
	p.Ring = &ring.Document{Version: 7}
	for i := range p.Replicas {
		p.Ring.Members = append(p.Ring.Members, v1alpha1.PodName(cache.Name, i))
	}
	return p
}

// Each case under testdata is a cache and the objects that stand for it, as they are applied.
// UPDATE_GOLDEN=1 rewrites the objects.
func TestGolden(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			cache := load(t, dir)
			objects, err := render.Render(cache, settled(cache), options)
			if err != nil {
				t.Fatal(err)
			}
			var documents []string
			for _, object := range objects.List() {
				data, err := yaml.Marshal(object)
				if err != nil {
					t.Fatal(err)
				}
				documents = append(documents, string(data))
			}
			golden(t, filepath.Join(dir, "objects.yaml"), []byte(strings.Join(documents, "---\n")))
		})
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: run make golden", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs: run make golden and look at its diff. Got:\n%s", file, got)
	}
}

func TestRenderIsPure(t *testing.T) {
	cache := load(t, "testdata/full")
	before := cache.DeepCopy()
	p := settled(cache)
	var texts [2][]byte
	for i := range texts {
		objects, err := render.Render(cache, p, options)
		if err != nil {
			t.Fatal(err)
		}
		if texts[i], err = yaml.Marshal(objects); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("two renderings differ")
	}
	was, is := mustYAML(t, before), mustYAML(t, cache)
	if was != is {
		t.Errorf("rendering changed the cache from\n%s\nto\n%s", was, is)
	}
}

func mustYAML(t *testing.T, object any) string {
	t.Helper()
	data, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestPausedRendersNothing(t *testing.T) {
	cache := load(t, "testdata/minimal")
	objects, err := render.Render(cache, plan.Plan{Step: plan.StepPause}, options)
	if err != nil || len(objects.List()) != 0 {
		t.Errorf("got %v, %v", objects.List(), err)
	}
}

// H6: labels and annotations of the cache are the user's tools', which would prune copies.
func TestH6LabelsOfTheCacheStayWithTheCache(t *testing.T) {
	cache := load(t, "testdata/minimal")
	cache.Labels = map[string]string{"argocd.argoproj.io/instance": "apps", "app.kubernetes.io/instance": "apps"}
	cache.Annotations = map[string]string{"argocd.argoproj.io/tracking-id": "apps"}
	objects, err := render.Render(cache, settled(cache), options)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects.List() {
		text := mustYAML(t, object)
		if strings.Contains(text, "argocd") || strings.Contains(text, ": apps\n") {
			t.Errorf("copied:\n%s", text)
		}
	}
}

package render

import (
	"maps"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
	"github.com/sk1-services/distributed-cache/templates"
)

func TestDecodeIsStrict(t *testing.T) {
	for name, tc := range map[string]struct{ manifest, says string }{
		"unknown key":    {"kind: ConfigMap\nbogus: 1\n", `unknown field "bogus"`},
		"duplicate key":  {"kind: ConfigMap\nkind: ConfigMap\n", `"kind" already set`},
		"wrong case":     {"kind: ConfigMap\nDATA: {}\n", `unknown field "DATA"`},
		"nested unknown": {"metadata:\n  nam: x\n", `unknown field "metadata.nam"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := decodeStrict[corev1ac.ConfigMapApplyConfiguration]([]byte(tc.manifest))
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("got %v, want an error that says %s", err, tc.says)
			}
		})
	}
	if _, err := decodeStrict[corev1ac.ServiceApplyConfiguration]([]byte("kind: Service\nstatus: {}\n")); err == nil {
		t.Error("status was let through")
	}
}

// Every file decodes, and what it sets is not set again by render: each of its leaves stands
// unchanged in the rendered object.
func TestTemplateOrRenderNeverBoth(t *testing.T) {
	cache := &v1alpha1.DistributedCache{}
	cache.Name, cache.Namespace, cache.UID = "orders-cache", "shop", "uid"
	cache.Spec.Pod.ImagePullPolicy = "Always"
	cache.Spec.Tenant = v1alpha1.TenantSpec{Isolate: true, Clients: []metav1.LabelSelector{{MatchLabels: map[string]string{"team": "orders"}}}}
	fence := &plan.Fence{Quota: plan.Quota{Pods: 4, Memory: 1 << 30}, Readers: []string{"web"}}
	objects, err := Render(cache, plan.Plan{Fence: fence, Workload: true, Replicas: 3, Ring: &ring.Document{Version: 1}}, Options{CacheImage: "image"})
	if err != nil {
		t.Fatal(err)
	}
	rendered := map[string]any{
		templates.Service: objects.Service, templates.StatefulSet: objects.StatefulSet, templates.Ring: objects.Ring,
		templates.Namespace: objects.Fence.Namespace, templates.NetworkPolicy: objects.Fence.Policy, templates.ResourceQuota: objects.Fence.Quota,
		templates.Role: objects.Fence.Role, templates.RoleBinding: objects.Fence.Binding,
	}
	files, err := templates.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(rendered) {
		t.Errorf("%d templates, %d are tested", len(files), len(rendered))
	}
	for _, file := range files {
		data, err := templates.Files.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		want, got := leaves(t, data), leaves(t, marshal(t, rendered[file.Name()]))
		for path, value := range want {
			if got[path] != value {
				t.Errorf("%s: %s is %v in the template and %v when rendered", file.Name(), path, value, got[path])
			}
		}
	}
}

func marshal(t *testing.T, object any) []byte {
	t.Helper()
	data, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func leaves(t *testing.T, manifest []byte) map[string]any {
	t.Helper()
	var root any
	if err := yaml.Unmarshal(manifest, &root); err != nil {
		t.Fatal(err)
	}
	found := map[string]any{}
	collect("", root, found)
	return found
}

func collect(path string, value any, found map[string]any) {
	switch v := value.(type) {
	case map[string]any:
		for key := range maps.Keys(v) {
			collect(path+"."+key, v[key], found)
		}
	case []any:
		for i, item := range v {
			collect(path+"["+string(rune('0'+i))+"]", item, found)
		}
	default:
		found[path] = v
	}
}

// The rollout's pace is the plan's, and the StatefulSet's controller keeps it.
func TestMinReadySecondsIsThePlans(t *testing.T) {
	set, err := decode[appsv1ac.StatefulSetApplyConfiguration](templates.StatefulSet)
	if err != nil {
		t.Fatal(err)
	}
	timing := plan.DefaultTiming
	if got := time.Duration(*set.Spec.MinReadySeconds) * time.Second; got != timing.MinReady || got < timing.JoinDelay+timing.JoinWindow {
		t.Errorf("minReadySeconds is %s; the plan has %+v", got, timing)
	}
}

package apply

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// From creation over drift to rest, against a server that merges.
func TestApplyRepairsDrift(t *testing.T) {
	server := newServer()
	a := &Applier{Writer: server, Live: server, Manager: manager}
	read := func() *corev1.ConfigMap {
		t.Helper()
		live := &corev1.ConfigMap{}
		if err := server.Get(t.Context(), client.ObjectKey{Namespace: "shop", Name: "orders-ring"}, live); err != nil {
			t.Fatal(err)
		}
		return live
	}
	bring := func(live client.Object, want Action) Result {
		t.Helper()
		desired := corev1ac.ConfigMap("orders-ring", "shop").WithLabels(owner.Labels).WithData(map[string]string{"a": "1", "b": "2"})
		r := a.Apply(t.Context(), Object{Desired: desired, Live: live, Fenced: true, Owner: owner})
		if r.Err != nil || r.Action != want {
			t.Fatalf("got %+v, want %s", r, want)
		}
		return r
	}
	bring(nil, Created)
	bring(read(), Unchanged)

	drifted := read()
	drifted.Data["b"], drifted.Data["theirs"] = "3", "x"
	delete(drifted.Labels, "made-by")
	drifted.OwnerReferences = append(drifted.OwnerReferences, controller("Cache", "orders", "owner-uid"))
	if err := server.Update(t.Context(), drifted, client.FieldOwner("kubectl-edit")); err != nil {
		t.Fatal(err)
	}
	want := Changes{Repaired: []Drift{{Field: "data.b", Manager: "kubectl-edit"}}, Set: []string{"metadata.labels.made-by"}}
	if diff := cmp.Diff(want, bring(read(), Updated).Changes); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a": "1", "b": "2", "theirs": "x"}, read().Data); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	bring(read(), Unchanged)
}

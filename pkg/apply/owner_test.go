package apply

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// appliedHolder is a holder that somebody wrote.
func appliedHolder(manager string, operation metav1.ManagedFieldsOperationType, subresource string) *corev1.Service {
	object := holder(nil)
	object.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Operation: operation, Subresource: subresource}}
	return object
}

func TestOwns(t *testing.T) {
	ours := map[string]string{"owner": "orders", "made-by": "operator", "more": "x"}
	guest := controller("Cache", "orders", "owner-uid")
	guest.Controller = nil
	known, sole := owner, owner
	known.Known, sole.Sole = "holder-uid", manager
	for _, tc := range []struct {
		name   string
		owner  Owner
		object metav1.Object
		want   bool
	}{
		{"controlled by the owner", owner, holder(nil, controller("Cache", "orders", "owner-uid")), true},
		{"controlled by the owner under another name", owner, holder(nil, controller("X", "x", "owner-uid")), true},
		{"controlled by a former owner of the name", owner, holder(ours, controller("Cache", "orders", "former-uid")), false},
		{"controlled by a stranger, with our labels", owner, holder(ours, controller("Deployment", "web", "web-uid")), false},
		{"without a controller, with our labels", owner, holder(ours), true},
		{"owned and not controlled, with our labels", owner, holder(ours, guest), true},
		{"owned and not controlled, without labels", owner, holder(nil, guest), false},
		{"without a controller, with one label of two", owner, holder(map[string]string{"owner": "orders"}), false},
		{"without a controller, with another's labels", owner, holder(map[string]string{"owner": "x", "made-by": "operator"}), false},
		{"known, without labels", known, holder(nil), true},
		{"known, controlled by a stranger", known, holder(nil, controller("Deployment", "web", "web-uid")), false},
		{"another than the known one", Owner{Kind: "Cache", UID: "owner-uid", Known: "other-uid"}, holder(nil), false},
		{"the known one's labels count too", known, holder(ours), true},
		{"applied by the sole manager, without labels", sole, appliedHolder(manager, metav1.ManagedFieldsOperationApply, ""), true},
		{"applied by the manager, which is not the sole one", owner, appliedHolder(manager, metav1.ManagedFieldsOperationApply, ""), false},
		{"applied by another", sole, appliedHolder("kubectl", metav1.ManagedFieldsOperationApply, ""), false},
		{"updated in the sole manager's name", sole, appliedHolder(manager, metav1.ManagedFieldsOperationUpdate, ""), false},
		{"applied by the sole manager, its status alone", sole, appliedHolder(manager, metav1.ManagedFieldsOperationApply, "status"), false},
		{"without any manager", sole, holder(nil), false},
		{"without a controller and without labels", owner, holder(nil), false},
		{"an owner without labels takes nothing back", Owner{Kind: "Cache", Name: "orders", UID: "owner-uid"}, holder(ours), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.owner.Owns(tc.object); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}

func TestConflictError(t *testing.T) {
	r := Result{Kind: "Service", Namespace: "shop", Name: "orders-cache"}
	for _, tc := range []struct {
		name   string
		object metav1.Object
		says   string
		former bool
	}{
		{
			"nobody's", holder(nil),
			"Service shop/orders-cache exists and was not created by this operator; it is left untouched", false,
		},
		{
			"a stranger's", holder(nil, controller("Deployment", "web", "web-uid")),
			"Service shop/orders-cache belongs to Deployment web; it is left untouched", false,
		},
		{
			"another cache's", holder(nil, controller("Cache", "other", "other-uid")),
			"Service shop/orders-cache belongs to Cache other; it is left untouched", false,
		},
		{
			"another kind's of the same name", holder(nil, controller("Deployment", "orders", "other-uid")),
			"Service shop/orders-cache belongs to Deployment orders; it is left untouched", false,
		},
		{
			"a former cache's", holder(nil, controller("Cache", "orders", "former-uid")),
			"Service shop/orders-cache still belongs to a former Cache orders; waiting for the garbage collector", true,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := owner.conflict(r, tc.object)
			if err.Error() != tc.says || err.Former != tc.former {
				t.Errorf("got %q, former %t; want %q", err, err.Former, tc.says)
			}
		})
	}
}

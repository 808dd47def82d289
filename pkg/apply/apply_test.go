package apply

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var services = schema.GroupResource{Resource: "services"}

func stale() error { return apierrors.NewConflict(services, "orders-cache", errors.New("modified")) }

func TestApply(t *testing.T) {
	refused := apierrors.NewForbidden(services, "orders-cache", errors.New("no rights"))
	stranger := standing(t, "old")
	stranger.OwnerReferences = []metav1.OwnerReference{controller("Deployment", "web", "web-uid")}
	unmanaged := standing(t, "new")
	unmanaged.ManagedFields = nil
	update, fencedUpdate := request{"Service", "orders-cache", "service-uid", "", "new"}, request{"Service", "orders-cache", "service-uid", "42", "new"}
	creation := request{"Service", "orders-cache", "", "1", "new"}
	for _, tc := range []struct {
		name   string
		live   client.Object
		fenced bool
		answer error
		sent   []request
		action Action
		says   string
	}{
		{"a missing object is created and cannot overwrite one", nil, false, nil, []request{creation}, Created, ""},
		{"a missing fenced object likewise", nil, true, nil, []request{creation}, Created, ""},
		{"an object that is as wanted is not sent", standing(t, "new"), false, nil, nil, Unchanged, ""},
		{"a fenced object that is as wanted is not sent", standing(t, "new"), true, nil, nil, Unchanged, ""},
		{"a changed object is sent, if it is still the same one", standing(t, "old"), false, nil, []request{update}, Updated, ""},
		{"a changed fenced object is sent on top of the read", standing(t, "old"), true, nil, []request{fencedUpdate}, Updated, ""},
		{"an object that we have not applied is sent, although equal", unmanaged, false, nil, []request{update}, Updated, ""},
		{"a stranger's object is left alone", stranger, false, nil, nil, "", "belongs to Deployment web"},
		{"a refused creation", nil, false, refused, []request{creation}, "", "Service shop/orders-cache: services"},
		{"a refused update", standing(t, "old"), false, refused, []request{update}, "", "Service shop/orders-cache: services"},
		{"a lost race is not retried", standing(t, "old"), true, stale(), []request{fencedUpdate}, "", "Service shop/orders-cache: Operation"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &writer{t: t, answers: []error{tc.answer}}
			a := &Applier{Writer: w, Manager: manager}
			r := a.Apply(t.Context(), Object{Desired: newService("new"), Live: tc.live, Fenced: tc.fenced, Owner: owner})
			if diff := cmp.Diff(tc.sent, w.sent); diff != "" {
				t.Errorf("-want +sent:\n%s", diff)
			}
			if r.Action != tc.action || r.Ref() != "Service shop/orders-cache" {
				t.Errorf("%s is %q, want %q", r.Ref(), r.Action, tc.action)
			}
			if (r.Err != nil) != (tc.says != "") || r.Err != nil && !strings.Contains(r.Err.Error(), tc.says) {
				t.Errorf("got %v, want %q", r.Err, tc.says)
			}
			if tc.answer != nil && !errors.Is(r.Err, tc.answer) {
				t.Errorf("%v does not wrap %v", r.Err, tc.answer)
			}
		})
	}
}

// The very object that was read is deleted, or nothing; what is gone is deleted.
func TestDelete(t *testing.T) {
	refused := apierrors.NewForbidden(services, "orders-cache", errors.New("no rights"))
	for name, tc := range map[string]struct{ answer, want error }{
		"deleted":     {nil, nil},
		"gone":        {apierrors.NewNotFound(services, "orders-cache"), nil},
		"refused":     {refused, refused},
		"a lost race": {stale(), stale()},
	} {
		t.Run(name, func(t *testing.T) {
			w := &writer{t: t, answers: []error{tc.answer}}
			err := (&Applier{Writer: w, Manager: manager}).Delete(t.Context(), standing(t, "old"))
			if (err != nil) != (tc.want != nil) || apierrors.IsConflict(err) != apierrors.IsConflict(tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "delete *v1.Service shop/orders-cache: ") {
				t.Errorf("got %v, which does not say what", err)
			}
			if diff := cmp.Diff([]string{"orders-cache service-uid at 42"}, w.deleted); diff != "" {
				t.Errorf("-want +deleted:\n%s", diff)
			}
		})
	}
}

// The comparison only saves a request: what it does not know is sent.
func TestApplySendsAnUnknownKind(t *testing.T) {
	w := &writer{t: t}
	live := &corev1.Secret{ObjectMeta: holder(owner.Labels).ObjectMeta}
	r := (&Applier{Writer: w, Manager: manager}).Apply(t.Context(), Object{Desired: newService("new"), Live: live, Owner: owner})
	if r.Err != nil || r.Action != Updated || len(w.sent) != 1 {
		t.Errorf("got %+v, sent %v", r, w.sent)
	}
}

// A creation that the server refuses because the name is taken tells by whom, or repairs an
// object of ours that the informers do not show.
func TestApplyToATakenName(t *testing.T) {
	creation, repair := request{"Service", "orders-cache", "", "1", "new"}, request{"Service", "orders-cache", "holder-uid", "", "new"}
	for _, tc := range []struct {
		name   string
		holder *corev1.Service
		exact  bool
		answer error
		sent   []request
		action Action
		says   string
	}{
		{"a stranger holds it", holder(nil, controller("Deployment", "web", "u")), false, nil, []request{creation}, "", "belongs to Deployment web"},
		{"nobody's object holds it", holder(nil), false, nil, []request{creation}, "", "was not created by this operator"},
		{"a former owner holds it", holder(nil, controller("Cache", "orders", "u")), false, nil, []request{creation}, "", "still belongs to a former"},
		{"our own object holds it, without labels", holder(nil, controller("Cache", "orders", "owner-uid")), false, nil, []request{creation, repair}, Updated, ""},
		{"our own orphan holds it", holder(owner.Labels), false, nil, []request{creation, repair}, Updated, ""},
		{"our own exact object is only written on top of a read", holder(owner.Labels), true, nil, []request{creation}, "", "Operation cannot be fulfilled"},
		{"the repair loses a race and is not retried", holder(owner.Labels), false, stale(), []request{creation, repair}, "", "Operation cannot be fulfilled"},
		{"the holder is gone again", nil, false, nil, []request{creation}, "", "read the object that holds the name"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, server := &writer{t: t, answers: []error{stale(), tc.answer}}, newServer()
			if tc.holder != nil {
				if err := server.Create(t.Context(), tc.holder.DeepCopy()); err != nil {
					t.Fatal(err)
				}
			}
			a := &Applier{Writer: w, Live: server, Manager: manager}
			r := a.Apply(t.Context(), Object{Desired: newService("new"), Fenced: true, Exact: tc.exact, Owner: owner})
			if diff := cmp.Diff(tc.sent, w.sent); diff != "" {
				t.Errorf("-want +sent:\n%s", diff)
			}
			if r.Action != tc.action || (r.Err != nil) != (tc.says != "") || r.Err != nil && !strings.Contains(r.Err.Error(), tc.says) {
				t.Errorf("got %q and %v, want %q and %q", r.Action, r.Err, tc.action, tc.says)
			}
			conflict, isConflict := errors.AsType[*ConflictError](r.Err)
			if isConflict && (conflict.Object != "Service shop/orders-cache" || r.Stale()) {
				t.Errorf("a conflict over %q, stale %t", conflict.Object, r.Stale())
			}
			if untouched := len(tc.sent) == 1 && !tc.exact && tc.holder != nil; untouched != isConflict {
				t.Errorf("is %T", r.Err)
			}
		})
	}
}

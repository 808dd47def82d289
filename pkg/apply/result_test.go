package apply

import (
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func invalid(details ...*field.Error) error {
	return fmt.Errorf("sent: %w", apierrors.NewInvalid(schema.GroupKind{Group: "apps", Kind: "StatefulSet"}, "orders-cache", details))
}

func forbidden(causes ...metav1.CauseType) error {
	err := apierrors.NewForbidden(services, "orders-cache", errors.New("no"))
	for _, cause := range causes {
		err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: cause})
	}
	return fmt.Errorf("sent: %w", err)
}

// What a refusal means follows from the server's status, however often it was wrapped.
func TestResultClassifies(t *testing.T) {
	spec, selector := field.NewPath("spec"), field.NewPath("spec", "selector")
	for _, tc := range []struct {
		name          string
		err           error
		stale, doomed bool
		immutable     string
	}{
		{"no error", nil, false, false, ""},
		{"an error that is not the server's", errors.New("connection refused"), false, false, ""},
		{"a conflict", fmt.Errorf("sent: %w", stale()), true, false, ""},
		{"a taken name", &ConflictError{Object: "x"}, false, false, ""},
		{"missing rights", forbidden(), false, false, ""},
		{"a namespace under deletion", forbidden(corev1.NamespaceTerminatingCause), false, true, ""},
		{"a StatefulSet's fixed field", invalid(field.Forbidden(spec, "updates to statefulset spec for fields other than ... are forbidden")), false, false, "spec"},
		{"a field that says it is immutable", invalid(field.Invalid(selector, "x", "field is immutable")), false, false, "spec.selector"},
		{"an immutable field behind another", invalid(field.Required(spec, "y"), field.Invalid(selector, "x", "field is immutable")), false, false, "spec.selector"},
		{"a value that is wrong", invalid(field.Invalid(spec, "x", "must be positive")), false, false, ""},
		{"a value that is missing", invalid(field.Required(spec, "immutable things need one")), false, false, ""},
		{"invalid without details", &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonInvalid}}, false, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := Result{Err: tc.err}
			if r.Stale() != tc.stale || r.Doomed() != tc.doomed {
				t.Errorf("stale %t, doomed %t", r.Stale(), r.Doomed())
			}
			if got, ok := r.Immutable(); got != tc.immutable || ok != (tc.immutable != "") {
				t.Errorf("immutable: %q, %t; want %q", got, ok, tc.immutable)
			}
		})
	}
}

func TestWrote(t *testing.T) {
	for action, want := range map[Action]bool{"": false, Unchanged: false, Created: true, Updated: true} {
		if got := (Result{Action: action}).Wrote(); got != want {
			t.Errorf("%q: got %t", action, got)
		}
	}
}

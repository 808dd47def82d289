package apply

import (
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Action is what became of an object.
type Action string

// The actions. An object whose application failed has none.
const (
	Unchanged Action = "unchanged"
	Created   Action = "created"
	Updated   Action = "updated"
)

// Result is what became of one object.
type Result struct {
	Kind      string
	Namespace string
	Name      string
	Action    Action
	// Existed says that there was an object of the owner's before.
	Existed bool
	// Changes are the fields that an update changed.
	Changes Changes
	Err     error
}

// Ref names the object.
func (r Result) Ref() string { return fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name) }

// Wrote reports whether the object was written.
func (r Result) Wrote() bool { return r.Action == Created || r.Action == Updated }

// Stale reports whether the write was refused because the object had changed since it was read:
// the next pass, on a newer read, decides again.
func (r Result) Stale() bool { return apierrors.IsConflict(r.Err) }

// Doomed reports whether the write was refused because its namespace is being deleted, and the
// object's owner with it.
func (r Result) Doomed() bool {
	return apierrors.HasStatusCause(r.Err, corev1.NamespaceTerminatingCause)
}

// Immutable is the field that the server refused to change because it cannot be changed.
func (r Result) Immutable() (string, bool) {
	if !apierrors.IsInvalid(r.Err) {
		return "", false
	}
	var status apierrors.APIStatus
	if !errors.As(r.Err, &status) || status.Status().Details == nil {
		return "", false
	}
	for _, cause := range status.Status().Details.Causes {
		forbidden := cause.Type == metav1.CauseType("FieldValueForbidden")
		if forbidden || cause.Type == metav1.CauseTypeFieldValueInvalid && strings.Contains(cause.Message, "immutable") {
			return cause.Field, true
		}
	}
	return "", false
}

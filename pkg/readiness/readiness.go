// Package readiness reads how far a live object is: kstatus for what kstatus knows, and the
// troubles of pods, which it does not tell apart.
//
// Its law: a verdict is computed from the object alone; nothing is fetched and nothing written.
package readiness

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Verdict is how far an object is.
type Verdict struct {
	// Done says that the object is as its spec wants it.
	Done bool
	// Failed says that waiting will not help.
	Failed bool
	// Message is what is missing, in kstatus's words.
	Message string
}

// Of computes the verdict of a live object. The kind is given because a typed object read from
// the API server does not carry it, and without it kstatus would take the object for done.
func Of(object client.Object, kind schema.GroupVersionKind) (Verdict, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return Verdict{}, fmt.Errorf("%s %s/%s: %w", kind.Kind, object.GetNamespace(), object.GetName(), err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kind)
	result, err := status.Compute(u)
	if err != nil {
		return Verdict{}, fmt.Errorf("%s %s/%s: %w", kind.Kind, object.GetNamespace(), object.GetName(), err)
	}
	return Verdict{
		Done:    result.Status == status.CurrentStatus,
		Failed:  result.Status == status.FailedStatus,
		Message: result.Message,
	}, nil
}

package apply

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Owner is the object on whose behalf others are applied.
type Owner struct {
	Kind string
	Name string
	UID  types.UID
	// Labels mark the owner's objects. An object without a controller that carries them is one
	// of ours that was orphaned, and is taken back.
	Labels map[string]string
	// Known is an object that is the owner's whatever it says.
	Known types.UID
	// Sole is a field manager that applies objects for this owner alone where they are: what it
	// has applied and has no controller is the owner's. Empty if there is none.
	Sole string
}

// Owns reports whether the object is the owner's.
func (o Owner) Owns(object metav1.Object) bool {
	if controller := metav1.GetControllerOf(object); controller != nil {
		return controller.UID == o.UID
	}
	if o.Known != "" && object.GetUID() == o.Known || o.Sole != "" && appliedBy(object, o.Sole) {
		return true
	}
	for key, value := range o.Labels {
		if object.GetLabels()[key] != value {
			return false
		}
	}
	return len(o.Labels) > 0
}

func appliedBy(object metav1.Object, manager string) bool {
	return slices.ContainsFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool { return applied(entry, manager) })
}

// ConflictError is a wanted name that belongs to somebody else, whose object was left untouched.
type ConflictError struct {
	// Object is the object that holds the name, Holder its controller, empty without one.
	Object string
	Holder string
	// Former says that the holder is a deleted object of the owner's own name, whose remains the
	// garbage collector is about to remove.
	Former bool
}

func (c *ConflictError) Error() string {
	switch {
	case c.Former:
		return fmt.Sprintf("%s still belongs to a former %s; waiting for the garbage collector", c.Object, c.Holder)
	case c.Holder != "":
		return fmt.Sprintf("%s belongs to %s; it is left untouched", c.Object, c.Holder)
	default:
		return c.Object + " exists and was not created by this operator; it is left untouched"
	}
}

func (o Owner) conflict(r Result, object metav1.Object) *ConflictError {
	c := &ConflictError{Object: r.Ref()}
	if controller := metav1.GetControllerOf(object); controller != nil {
		c.Holder = controller.Kind + " " + controller.Name
		c.Former = controller.Kind == o.Kind && controller.Name == o.Name
	}
	return c
}

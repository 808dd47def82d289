// Package apply brings objects to the API server by server-side apply, under one field manager
// and forced.
//
// Its laws: it knows no cache, only objects and their owner. A write that would change nothing
// is not sent. An object that belongs to somebody else is never adopted: creation is a request
// that the API server refuses if the name is taken. An object is sent once and not used again,
// since the server's answer comes back into it.
package apply

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Writer is what is asked of an API server.
type Writer interface {
	Apply(ctx context.Context, object runtime.ApplyConfiguration, options ...client.ApplyOption) error
	Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error
}

// Applier applies objects for one field manager.
type Applier struct {
	Writer Writer
	// Live reads past the cache, and only to name the object that holds a wanted name.
	Live    client.Reader
	Manager string
}

// Object is one object to apply.
type Object struct {
	// Desired is the rendered apply configuration; it is consumed.
	Desired runtime.ApplyConfiguration
	// Live is the object as it was read, nil if it was not there.
	Live client.Object
	// Fenced objects are written only on top of the very Live that was read. Exact ones, besides,
	// are not repaired without having been read.
	Fenced bool
	Exact  bool
	// Owner tells whose an existing object is.
	Owner Owner
}

// createOnly is a resourceVersion that no object has: an apply that carries it creates an object
// and never changes one.
const createOnly = "1"

// Apply sends the object if that changes anything. The result's error, if any, is a *ConflictError
// for an object of somebody else, or the server's.
func (a *Applier) Apply(ctx context.Context, o Object) Result {
	u, err := toUnstructured(o.Desired)
	if err != nil {
		return Result{Err: err}
	}
	r := Result{Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName()}
	switch {
	case o.Live == nil:
		u.SetResourceVersion(createOnly)
	case !o.Owner.Owns(o.Live):
		r.Err = o.Owner.conflict(r, o.Live)
		return r
	default:
		r.Existed = true
		same, err := unchanged(o.Live, o.Desired, a.Manager)
		if err != nil {
			r.Err = fmt.Errorf("%s: compare with the live object: %w", r.Ref(), err)
			return r
		}
		if same {
			r.Action = Unchanged
			return r
		}
		u.SetUID(o.Live.GetUID())
		if o.Fenced {
			u.SetResourceVersion(o.Live.GetResourceVersion())
		}
	}
	return a.send(ctx, u, o, r)
}

func (a *Applier) send(ctx context.Context, u *unstructured.Unstructured, o Object, r Result) Result {
	kind := u.GroupVersionKind()
	err := a.Writer.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(a.Manager), client.ForceOwnership)
	switch {
	case err == nil && o.Live == nil:
		r.Action = Created
	case err == nil:
		r.Action = Updated
		r.Changes, r.Err = changes(o.Live.GetManagedFields(), u.GetManagedFields(), a.Manager)
	case apierrors.IsConflict(err) && o.Live == nil:
		return a.taken(ctx, kind, o, r, err)
	default:
		r.Err = fmt.Errorf("%s: %w", r.Ref(), err)
	}
	return r
}

// Send applies an object as it is: for fields of objects that are somebody else's, where the
// caller knows that they differ. The object carries its own preconditions.
func (a *Applier) Send(ctx context.Context, desired runtime.ApplyConfiguration) error {
	u, err := toUnstructured(desired)
	if err != nil {
		return err
	}
	err = a.Writer.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner(a.Manager), client.ForceOwnership)
	if err != nil {
		return fmt.Errorf("%s %s/%s: %w", u.GetKind(), u.GetNamespace(), u.GetName(), err)
	}
	return nil
}

// Delete deletes the very object that was read, as it was read. One that is gone already is
// deleted.
func (a *Applier) Delete(ctx context.Context, live client.Object) error {
	id, version := live.GetUID(), live.GetResourceVersion()
	err := a.Writer.Delete(ctx, live, client.Preconditions{UID: &id, ResourceVersion: &version})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete %T %s: %w", live, client.ObjectKeyFromObject(live), err)
	}
	return nil
}

// taken handles a name that turned out to be in use by an object that was not read: one of ours
// that lost its labels is repaired, unless it may be written only on top of a read; anything
// else is a conflict.
func (a *Applier) taken(ctx context.Context, kind schema.GroupVersionKind, o Object, r Result, refused error) Result {
	live := &metav1.PartialObjectMetadata{}
	live.SetGroupVersionKind(kind)
	if err := a.Live.Get(ctx, types.NamespacedName{Namespace: r.Namespace, Name: r.Name}, live); err != nil {
		r.Err = fmt.Errorf("%s: read the object that holds the name: %w", r.Ref(), err)
		return r
	}
	if !o.Owner.Owns(live) {
		r.Err = o.Owner.conflict(r, live)
		return r
	}
	if o.Exact {
		r.Err = fmt.Errorf("%s: %w", r.Ref(), refused)
		return r
	}
	u, err := toUnstructured(o.Desired)
	if err != nil {
		r.Err = err
		return r
	}
	u.SetUID(live.GetUID())
	o.Live = live
	return a.send(ctx, u, o, r)
}

func toUnstructured(desired runtime.ApplyConfiguration) (*unstructured.Unstructured, error) {
	data, err := json.Marshal(desired)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", desired, err)
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		return nil, fmt.Errorf("encode %T: %w", desired, err)
	}
	return u, nil
}

package controller

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/render"
	"github.com/sk1-services/distributed-cache/pkg/report"
)

// pass writes the objects of one cache.
type pass struct {
	applier *apply.Applier
	owner   apply.Owner
	world   *observe.World
	results []apply.Result
}

// write sends every object, also after one was refused: a refused Service must not keep a dead
// pod in the ring. But without its fence an isolated cache gets no pods, and its ring stays as it is
// unless the StatefulSet says already what the cache wants now. And a StatefulSet that has changed
// since it was read ends the pass: the ring must not take back a pod that another operator sends away.
func write(ctx context.Context, applier *apply.Applier, world *observe.World, objects render.Objects) []apply.Result {
	p := &pass{applier: applier, owner: ownerOf(world.Cache), world: world}
	if objects.Fence != nil && !p.fence(ctx, *objects.Fence) {
		objects.Service, objects.StatefulSet = nil, nil
		if !world.Stamped() {
			objects.Ring = nil
		}
	}
	if objects.Service != nil {
		p.send(ctx, objects.Service, present(world.Service))
	}
	if objects.StatefulSet != nil && p.sendFenced(ctx, objects.StatefulSet, present(world.StatefulSet), false).Stale() {
		return p.results
	}
	if objects.Ring != nil {
		p.sendFenced(ctx, objects.Ring, present(world.Ring), true)
	}
	return p.results
}

// fence brings about what stands around an isolated cache, in order, and reports whether all of
// it does.
func (p *pass) fence(ctx context.Context, f render.Fence) bool {
	cell, owner := p.world.Cell, p.owner
	owner.Sole = ""
	if p.apply(ctx, apply.Object{Desired: f.Namespace, Live: present(cell.Namespace), Owner: owner}).Err != nil {
		return false
	}
	stands := true
	for _, o := range []struct {
		desired runtime.ApplyConfiguration
		live    client.Object
	}{
		{f.Policy, present(cell.Policy)},
		{f.Quota, present(cell.Quota)},
		{f.Role, present(cell.Role)},
		{f.Binding, present(cell.Binding)},
	} {
		stands = p.send(ctx, o.desired, o.live).Err == nil && stands
	}
	return stands
}

func (p *pass) send(ctx context.Context, desired runtime.ApplyConfiguration, live client.Object) apply.Result {
	return p.apply(ctx, apply.Object{Desired: desired, Live: live, Owner: p.owner})
}

// sendFenced writes on top of the very object that was read.
func (p *pass) sendFenced(ctx context.Context, desired runtime.ApplyConfiguration, live client.Object, exact bool) apply.Result {
	return p.apply(ctx, apply.Object{Desired: desired, Live: live, Fenced: true, Exact: exact, Owner: p.owner})
}

func (p *pass) apply(ctx context.Context, object apply.Object) apply.Result {
	result := p.applier.Apply(ctx, object)
	p.results = append(p.results, result)
	return result
}

// mark brings the visible copies of the ledger up to date. A pod that is gone, or another by now,
// needs none.
func mark(ctx context.Context, applier *apply.Applier, world *observe.World, marks []plan.Mark) error {
	var failed []error
	for _, m := range marks {
		for i := range world.Pods {
			pod := &world.Pods[i]
			if pod.Name != m.Pod {
				continue
			}
			err := applier.Send(ctx, render.Mark(world.Cache, m, pod.UID))
			if !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) && !apierrors.IsInvalid(err) {
				failed = append(failed, err)
			}
		}
	}
	return errors.Join(failed...)
}

// present turns a nil pointer into a nil interface.
func present[T any, P interface {
	*T
	client.Object
}](object P) client.Object {
	if object == nil {
		return nil
	}
	return object
}

// ownerOf tells the cache's objects. Nothing but its labels ties a cell to its cache, so they must
// name the very one.
func ownerOf(cache *v1alpha1.DistributedCache) apply.Owner {
	owner := apply.Owner{
		Kind: v1alpha1.Kind,
		Name: cache.Name,
		UID:  cache.UID,
		Labels: map[string]string{
			v1alpha1.ManagedByLabel:      v1alpha1.FieldManager,
			v1alpha1.OwnerNameLabel:      cache.Name,
			v1alpha1.OwnerNamespaceLabel: cache.Namespace,
		},
	}
	if cache.Spec.Tenant.Isolate {
		owner.Labels[v1alpha1.OwnerUIDLabel] = string(cache.UID)
		owner.Known, owner.Sole = cache.Status.CellUID, v1alpha1.FieldManager
	}
	return owner
}

func trace(ctx context.Context, o report.Outcome) {
	logger := log.FromContext(ctx)
	for _, result := range o.Results {
		if result.Wrote() {
			logger.Info("applied", "object", result.Ref(), "action", result.Action, "step", o.Plan.Step,
				"repaired", fmt.Sprint(result.Changes.Repaired))
			logger.V(1).Info("fields", "object", result.Ref(), "set", result.Changes.Set, "dropped", result.Changes.Dropped)
		}
	}
}

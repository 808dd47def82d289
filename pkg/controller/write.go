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

// write sends every object, also after one was refused: a refused Service must not keep a dead
// pod in the ring. But a StatefulSet that has changed since it was read ends the pass: the ring
// must not take back a pod that another operator has just sent away.
func write(ctx context.Context, applier *apply.Applier, world *observe.World, objects render.Objects) []apply.Result {
	var results []apply.Result
	send := func(desired runtime.ApplyConfiguration, live client.Object, fenced, exact bool) apply.Result {
		result := applier.Apply(ctx, apply.Object{
			Desired: desired, Live: live, Fenced: fenced, Exact: exact, Owner: ownerOf(world.Cache),
		})
		results = append(results, result)
		return result
	}
	if objects.Service != nil {
		send(objects.Service, present(world.Service), false, false)
	}
	if objects.StatefulSet != nil {
		if send(objects.StatefulSet, present(world.StatefulSet), true, false).Stale() {
			return results
		}
	}
	if objects.Ring != nil {
		send(objects.Ring, present(world.Ring), true, true)
	}
	return results
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

func ownerOf(cache *v1alpha1.DistributedCache) apply.Owner {
	return apply.Owner{
		Kind: v1alpha1.Kind,
		Name: cache.Name,
		UID:  cache.UID,
		Labels: map[string]string{
			v1alpha1.ManagedByLabel:      v1alpha1.FieldManager,
			v1alpha1.OwnerNameLabel:      cache.Name,
			v1alpha1.OwnerNamespaceLabel: cache.Namespace,
		},
	}
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

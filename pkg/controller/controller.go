// Package controller is the spine: it calls the rooms in order and decides nothing itself.
//
//	cache → observe → plan → render → apply → report → status
//
// Its law: the data crosses each wall once, left to right, as a value. Only apply writes
// objects, only report writes status, and status is written on every path.
package controller

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/render"
	"github.com/sk1-services/distributed-cache/pkg/report"
)

// What the operator may do, and nothing it does not use.
//
// +kubebuilder:rbac:groups=cache.sk1.services.com,resources=distributedcaches,verbs=get;list;watch
// +kubebuilder:rbac:groups=cache.sk1.services.com,resources=distributedcaches/status,verbs=patch
// +kubebuilder:rbac:groups=cache.sk1.services.com,resources=distributedcaches/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=services;configmaps,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=events,verbs=list
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create

// Reconciler brings one cache at a time towards what its spec wants.
type Reconciler struct {
	Observer *observe.Observer
	Applier  *apply.Applier
	Reporter *report.Reporter
	Clock    clock.PassiveClock
	Timing   plan.Timing
	Render   render.Options
}

// Reconcile makes one pass over one cache.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	cache, err := r.Observer.Cache(ctx, request.NamespacedName)
	if err != nil || cache == nil {
		return ctrl.Result{}, err
	}
	outcome := r.pass(ctx, cache)
	reported := r.Reporter.Report(ctx, outcome)
	return next(ctx, outcome, reported)
}

func (r *Reconciler) pass(ctx context.Context, cache *v1alpha1.DistributedCache) report.Outcome {
	outcome := report.Outcome{Now: r.Clock.Now()}
	outcome.World, outcome.Err = r.Observer.Observe(ctx, cache)
	if outcome.Err != nil {
		return outcome
	}
	outcome.Plan = plan.Next(outcome.World.State(outcome.Now), r.Timing)

	var objects render.Objects
	objects, outcome.Err = render.Render(cache, outcome.Plan, r.Render)
	if outcome.Err != nil {
		return outcome
	}
	outcome.Results = r.apply(ctx, outcome.World, objects)
	trace(ctx, outcome)
	return outcome
}

// apply sends every object, also after one was refused: a refused Service must not keep a dead
// pod in the ring.
func (r *Reconciler) apply(ctx context.Context, world *observe.World, objects render.Objects) []apply.Result {
	var results []apply.Result
	send := func(desired runtime.ApplyConfiguration, live client.Object, fenced bool) {
		results = append(results, r.Applier.Apply(ctx, apply.Object{
			Desired: desired, Live: live, Fenced: fenced, Owner: ownerOf(world.Cache),
		}))
	}
	if objects.Service != nil {
		send(objects.Service, present(world.Service), false)
	}
	if objects.StatefulSet != nil {
		send(objects.StatefulSet, present(world.StatefulSet), false)
	}
	if objects.Ring != nil {
		send(objects.Ring, present(world.Ring), true)
	}
	return results
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

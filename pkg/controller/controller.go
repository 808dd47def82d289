// Package controller is the spine: it calls the rooms in order and decides nothing itself.
//
//	cache → observe → plan → render → apply → report → status
//
// Its law: the data crosses each wall once, left to right, as a value. Only apply writes
// objects, only report writes status, and status is written on every path. A plan that changes
// the ring, creates, or takes away for good is made again from a live read before it is carried
// out, and no object is written for a cache that is not, live, the one that was planned on.
package controller

import (
	"context"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/render"
	"github.com/sk1-services/distributed-cache/pkg/report"
)

// What the operator may do, and nothing it does not use.
//
// +kubebuilder:rbac:groups=cache.sk1.services.com,resources=distributedcaches,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=cache.sk1.services.com,resources=distributedcaches/status,verbs=patch
// +kubebuilder:rbac:groups=cache.sk1.services.com,resources=distributedcaches/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=services;configmaps,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=resourcequotas,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=roles;rolebindings,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups="",resources=events,verbs=list
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=authentication.k8s.io,resources=tokenreviews,verbs=create
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create

// Reconciler brings one cache at a time towards what its spec wants.
type Reconciler struct {
	Observer *observe.Observer
	Applier  *apply.Applier
	Reporter *report.Reporter
	// Clock is the API server's time.
	Clock  clock.PassiveClock
	Timing plan.Timing
	Render render.Options
}

// Reconcile makes one pass over one cache.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	cache, err := r.Observer.Cache(ctx, request.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := r.collect(ctx, request.NamespacedName, cache); err != nil || cache == nil {
		return ctrl.Result{}, err
	}
	outcome := r.decide(ctx, cache)
	if outcome.Gone() {
		return ctrl.Result{}, nil
	}
	if outcome.Err == nil {
		r.carryOut(ctx, &outcome)
	}
	reported := r.Reporter.Report(ctx, outcome)
	return next(ctx, outcome, reported)
}

// decide observes and plans, a second time and live where the plan asks for it.
func (r *Reconciler) decide(ctx context.Context, cache *v1alpha1.DistributedCache) report.Outcome {
	o := report.Outcome{Now: r.Clock.Now()}
	o.World, o.Err = r.Observer.Observe(ctx, cache)
	if o.Err != nil {
		return o
	}
	o.Plan = plan.Next(o.World.State(o.Now), r.Timing)
	if !grave(o.World, o.Plan) {
		return o
	}
	o.World, o.Err = r.Observer.ObserveLive(ctx, cache)
	if o.Err != nil {
		if o.World == nil {
			o.World = &observe.World{Cache: cache}
		}
		return o
	}
	if o.World != nil {
		o.Now, o.Live = r.Clock.Now(), true
		o.Plan = plan.Next(o.World.State(o.Now), r.Timing)
	}
	return o
}

// grave reports whether a plan is to be made again from a live read: it says so itself, or it
// would make an object that was not there.
func grave(w *observe.World, p plan.Plan) bool {
	return p.Confirm || p.Claim || p.Release || p.Fence != nil && !w.Cell.Whole() ||
		p.Workload && (w.Service == nil || w.StatefulSet == nil) || p.Ring != nil && w.Ring == nil
}

// carryOut writes what the plan wants. The finalizer goes on before anything else is written, and
// off after everything else is done.
func (r *Reconciler) carryOut(ctx context.Context, o *report.Outcome) {
	applier := r.Applier
	if !o.Live {
		applier = r.guarded(o.World.Cache)
	}
	if o.Plan.Claim {
		o.Hold = applier.Send(ctx, render.Hold(o.World.Cache, true))
		return
	}
	if o.Plan.Release {
		o.Hold = applier.Send(ctx, render.Hold(o.World.Cache, false))
		return
	}
	if o.Plan.Raze {
		o.Cell = applier.Delete(ctx, o.World.Cell.Namespace)
		return
	}
	var objects render.Objects
	objects, o.Err = render.Render(o.World.Cache, o.Plan, r.Render)
	if o.Err != nil {
		return
	}
	o.Results = write(ctx, applier, o.World, objects)
	o.Marks = mark(ctx, applier, o.World, o.Plan.Marks)
	trace(ctx, *o)
}

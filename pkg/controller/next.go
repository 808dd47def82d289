package controller

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/sk1-services/distributed-cache/pkg/readiness"
	"github.com/sk1-services/distributed-cache/pkg/report"
)

const (
	// stalePause is how soon to look again after a write that lost a race: the watch that brings
	// the winner's write usually comes first.
	stalePause = 50 * time.Millisecond
	// refusalPause is how soon to look again for pods that are refused: nothing that is watched
	// changes when the reason goes.
	refusalPause = 10 * time.Second
	// doomedPause is how soon to look again at a cache whose namespace is being deleted.
	doomedPause = 10 * time.Second
	// pressing is what a failed pass looks at again without regard to the back-off.
	pressing = 5 * time.Second
)

// next says when to look again although nothing changes. An error is retried with back-off,
// unless the plan has something pressing to do: a refused Service must not delay the ring.
func next(ctx context.Context, o report.Outcome, reported error) (ctrl.Result, error) {
	wake := wakes{o.Plan.Wake}
	for i := range o.World.Pods {
		if due := readiness.Due(&o.World.Pods[i]); due.After(o.Now) {
			wake = append(wake, due.Sub(o.Now))
		}
	}
	if cell := o.World.Cell; cell != nil && cell.Namespace != nil {
		if due := readiness.NamespaceDue(cell.Namespace); due.After(o.Now) {
			wake = append(wake, due.Sub(o.Now))
		}
	}
	if o.World.Refusal != "" {
		wake = append(wake, refusalPause)
	}
	failed := []error{o.Err}
	for _, result := range o.Results {
		switch {
		case result.Stale():
			wake = append(wake, stalePause)
		case result.Doomed():
			wake = append(wake, doomedPause)
		default:
			failed = append(failed, result.Err)
		}
	}
	for _, err := range []error{o.Hold, o.Cell, reported} {
		if apierrors.IsConflict(err) {
			wake = append(wake, stalePause)
		} else {
			failed = append(failed, err)
		}
	}
	failed = append(failed, o.Marks)
	soonest, err := wake.soonest(), errors.Join(failed...)
	if err == nil {
		return ctrl.Result{RequeueAfter: soonest}, nil
	}
	if soonest > 0 && soonest < pressing {
		log.FromContext(ctx).Error(err, "pass failed in part", "again", soonest)
		return ctrl.Result{RequeueAfter: soonest}, nil
	}
	return ctrl.Result{}, err
}

type wakes []time.Duration

// soonest is the shortest positive duration, 0 without one.
func (w wakes) soonest() time.Duration {
	var soonest time.Duration
	for _, d := range w {
		if d > 0 && (soonest == 0 || d < soonest) {
			soonest = d
		}
	}
	return soonest
}

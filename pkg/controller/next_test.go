package controller

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/report"
)

var (
	epoch     = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	resources = schema.GroupResource{Resource: "services"}
	errBroken = errors.New("connection refused")
)

func stale() error {
	return fmt.Errorf("sent: %w", apierrors.NewConflict(resources, "a", errors.New("modified")))
}

func doomed() error {
	err := apierrors.NewForbidden(resources, "a", errors.New("being terminated"))
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	return err
}

func result(err error) apply.Result { return apply.Result{Kind: "Service", Err: err} }

// unready is a running pod that stopped being Ready so long before the pass.
func unready(ago time.Duration) corev1.Pod {
	return corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
		{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(epoch.Add(-ago))},
	}}}
}

// going is a cell whose deletion began so long before the pass.
func going(ago time.Duration) *observe.Cell {
	return &observe.Cell{Namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: new(metav1.NewTime(epoch.Add(-ago)))}}}
}

func TestNext(t *testing.T) {
	for _, tc := range []struct {
		name     string
		wake     time.Duration
		world    observe.World
		results  []error
		err      error
		hold     error
		cell     error
		marks    error
		reported error
		after    time.Duration
		fails    bool
	}{
		{name: "all is as wanted: only a change wakes", results: []error{nil, nil}},
		{name: "the plan waits", wake: 7 * time.Second, after: 7 * time.Second},
		{name: "a pod may become a trouble", world: observe.World{Pods: []corev1.Pod{unready(10 * time.Second)}}, after: 50 * time.Second},
		{
			name: "the sooner of plan and pods", wake: 55 * time.Second, after: 40 * time.Second,
			world: observe.World{Pods: []corev1.Pod{unready(10 * time.Second), unready(20 * time.Second)}},
		},
		{name: "a pod that is a trouble already", world: observe.World{Pods: []corev1.Pod{unready(time.Minute), unready(time.Hour)}}},
		{name: "pods are refused", world: observe.World{Refusal: "exceeded quota"}, after: refusalPause},
		{name: "a write lost a race", results: []error{nil, stale()}, after: stalePause},
		{name: "the namespace is being deleted", results: []error{doomed(), doomed()}, after: doomedPause},
		{name: "the status lost a race", reported: stale(), after: stalePause},
		{name: "the finalizer lost a race", hold: stale(), after: stalePause},
		{name: "the deletion of the cell lost a race", cell: stale(), after: stalePause},
		{name: "the deletion of the cell was refused", cell: errBroken, fails: true},
		{name: "a cell that goes may become stuck", world: observe.World{Cell: going(5 * time.Second)}, after: 10 * time.Second},
		{name: "a cell that is stuck", world: observe.World{Cell: going(time.Minute)}},
		{name: "a cell that stands", world: observe.World{Cell: &observe.Cell{Namespace: &corev1.Namespace{}}}},
		{name: "no cell yet", world: observe.World{Cell: &observe.Cell{}}},
		{name: "the observation failed", err: errBroken, fails: true},
		{name: "the finalizer was refused", hold: errBroken, fails: true},
		{name: "a mark was refused", marks: errBroken, fails: true},
		{name: "a mark was refused and a drain is about to end", wake: time.Second, marks: errBroken, after: time.Second},
		{name: "the status was refused", reported: errBroken, fails: true},
		{name: "an object was refused", results: []error{errBroken, nil}, fails: true},
		{name: "an object was refused and nothing is pressing", wake: pressing, results: []error{errBroken}, fails: true},
		{name: "an object was refused and pods are", world: observe.World{Refusal: "exceeded quota"}, results: []error{errBroken}, fails: true},
		{name: "an object was refused and the ring is pressing", wake: 3 * time.Second, results: []error{errBroken}, after: 3 * time.Second},
		{name: "an object was refused and another lost a race", results: []error{errBroken, stale()}, after: stalePause},
		{name: "the status was refused and the ring is pressing", wake: time.Second, reported: errBroken, after: time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := report.Outcome{Now: epoch, World: &tc.world, Plan: plan.Plan{Wake: tc.wake}, Err: tc.err, Hold: tc.hold, Cell: tc.cell, Marks: tc.marks}
			for _, err := range tc.results {
				o.Results = append(o.Results, result(err))
			}
			got, err := next(t.Context(), o, tc.reported)
			if diff := cmp.Diff(reconcile.Result{RequeueAfter: tc.after}, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if tc.fails != (err != nil) || err != nil && !errors.Is(err, errBroken) {
				t.Errorf("got %v, want an error: %t", err, tc.fails)
			}
		})
	}
}

// All errors of a pass are told, and a lost race is not one.
func TestNextJoinsErrors(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	o := report.Outcome{World: &observe.World{}, Results: []apply.Result{result(first), result(doomed()), result(second)}}
	_, err := next(t.Context(), o, errBroken)
	if err == nil || err.Error() != "first\nsecond\nconnection refused" {
		t.Errorf("got %v", err)
	}
}

func TestOwnerRequest(t *testing.T) {
	for _, tc := range []struct {
		name   string
		labels map[string]string
		want   []reconcile.Request
	}{
		{
			"the cache's labels lead to it, also across namespaces",
			map[string]string{v1alpha1.OwnerNameLabel: "orders-cache", v1alpha1.OwnerNamespaceLabel: "shop"},
			[]reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: "shop", Name: "orders-cache"}}},
		},
		{"no labels", nil, nil},
		{"a name alone", map[string]string{v1alpha1.OwnerNameLabel: "orders-cache"}, nil},
		{"a namespace alone", map[string]string{v1alpha1.OwnerNamespaceLabel: "shop"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			object := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "elsewhere", Name: "x", Labels: tc.labels}}
			if diff := cmp.Diff(tc.want, ownerRequest(t.Context(), object)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

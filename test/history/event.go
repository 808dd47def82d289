//go:build integration

// Package history judges what happened to a cache.
//
// Its law: it judges what an observer saw, in the order in which the API server committed it, and
// knows nothing of what the operator meant. All objects have one order, that of their
// resourceVersions; times are the observer's own.
package history

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
)

// Event is one thing that an observer saw: an object as it was then.
type Event struct {
	Seen time.Time
	Gone bool
	// By is the manager that wrote this version of the object, as far as its notes tell. They do
	// not tell who deleted it.
	By     string
	Object client.Object
}

// foreign reports whether neither the operator nor Kubernetes wrote this version: what it says is
// then what clients see, but nothing that the operator answers for.
func (e Event) foreign() bool {
	return e.By != "" && e.By != v1alpha1.FieldManager && e.By != kubernetes
}

func (e Event) revision() int64 {
	revision, err := strconv.ParseInt(e.Object.GetResourceVersion(), 10, 64)
	if err != nil {
		return 0
	}
	return revision
}

// String is one line of a history.
func (e Event) String() string {
	line := fmt.Sprintf("%s rv %s %s ", e.Seen.Format("15:04:05.000"), e.Object.GetResourceVersion(), e.Object.GetName())
	switch object := e.Object.(type) {
	case *v1alpha1.DistributedCache:
		line += fmt.Sprintf("cache: wanted %d, grace %s, finalizers %v, deleted %t, ring version %d",
			object.WantedReplicas(), object.Grace(), object.Finalizers, object.DeletionTimestamp != nil, object.Status.RingVersion)
	case *corev1.ConfigMap:
		line += fmt.Sprintf("ring: %s, ledger %s", object.Data[v1alpha1.RingKey], object.Data[v1alpha1.LedgerKey])
	case *appsv1.StatefulSet:
		line += fmt.Sprintf("set: %d replicas, %d there", *object.Spec.Replicas, object.Status.Replicas)
	case *corev1.Pod:
		line += fmt.Sprintf("pod: ready %t, terminating %t, draining since %q",
			readiness.Ready(object), object.DeletionTimestamp != nil, object.Annotations[v1alpha1.DrainingSinceAnnotation])
	}
	if e.foreign() {
		line += ", by " + e.By
	}
	if e.Gone {
		line += ", GONE"
	}
	return line
}

// Sort brings events into the order in which they were committed.
func Sort(events []Event) {
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.revision(), b.revision()) })
}

// Tell is a history as a text.
func Tell(events []Event) string {
	var lines []string
	for _, e := range events {
		lines = append(lines, e.String())
	}
	return strings.Join(lines, "\n")
}

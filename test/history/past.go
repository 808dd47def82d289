//go:build integration

package history

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// past is what is known of one cache up to an event.
type past struct {
	now    time.Time
	uid    types.UID
	wanted int
	grace  time.Duration
	// deleted is when the cache was, zero if it was not; orphaned says that its objects are to
	// outlive it.
	deleted  time.Time
	orphaned bool
	held     bool
	isolated bool
	// fence says which kinds of what must stand before the first pod of a cell have stood.
	fence    map[string]bool
	replicas int
	ring     ring.Document
	// lost says that the ring's object is gone, foreign that what it says is not the operator's.
	lost, foreign bool
	published     map[string]edition
	// left is when an ordinal was last dropped from the ring.
	left   map[int]time.Time
	pods   map[string]pod
	broken []string
}

// edition is the latest ring of one owner.
type edition struct {
	version int64
	text    string
}

type pod struct {
	there, serving bool
	// served is when it was last seen serving.
	served time.Time
}

// none is the size of a StatefulSet that is not there.
const none = -1

// Check gives the laws that a history of one cache, in order, breaks. A cache that is created
// again under the same name goes on in the same history.
func Check(events []Event) []string {
	p := &past{replicas: none, published: map[string]edition{}, left: map[int]time.Time{}, pods: map[string]pod{}, fence: map[string]bool{}}
	for _, e := range events {
		p.now = e.Seen
		switch object := e.Object.(type) {
		case *v1alpha1.DistributedCache:
			p.seeCache(object, e)
		case *corev1.ConfigMap:
			p.seeRing(object, e)
		case *appsv1.StatefulSet:
			p.seeSet(object, e)
		case *corev1.Pod:
			p.seePod(object, e.Gone)
		case *corev1.Namespace:
			p.seeFence("Namespace", e.Gone)
		case *networkingv1.NetworkPolicy:
			p.seeFence("NetworkPolicy", false)
		case *corev1.ResourceQuota:
			p.seeFence("ResourceQuota", false)
		}
	}
	return p.broken
}

func (p *past) breaks(format string, args ...any) {
	p.broken = append(p.broken, p.now.Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

func (p *past) deleting() bool { return !p.deleted.IsZero() }

func (p *past) seeCache(cache *v1alpha1.DistributedCache, e Event) {
	if cache.UID != p.uid {
		p.uid, p.deleted, p.orphaned, p.held = cache.UID, time.Time{}, false, false
	}
	p.wanted, p.grace, p.isolated = int(cache.WantedReplicas()), cache.Grace(), cache.Spec.Tenant.Isolate
	if cache.DeletionTimestamp != nil && !p.deleting() {
		p.deleted = p.now
	}
	// A cell ends with its cache, however that is deleted.
	p.orphaned = p.orphaned || p.deleting() && !p.isolated && slices.Contains(cache.Finalizers, metav1.FinalizerOrphanDependents)
	held := slices.Contains(cache.Finalizers, v1alpha1.Finalizer) && !e.Gone
	if p.held && !held && !e.foreign() {
		p.released()
	}
	p.held = held
}

func (p *past) seeSet(set *appsv1.StatefulSet, e Event) {
	was := p.replicas
	p.replicas = int(*set.Spec.Replicas)
	switch {
	case e.Gone:
		p.replicas = none
	case e.foreign():
	case was == none:
		p.resized(p.wanted)
	case p.replicas < was:
		p.resized(was)
	}
}

// seeFence notes what has stood; all of it goes with the namespace.
func (p *past) seeFence(kind string, gone bool) {
	p.fence[kind] = true
	if gone {
		p.fence = map[string]bool{}
	}
}

func (p *past) seePod(object *corev1.Pod, gone bool) {
	before := p.pods[object.Name]
	if !before.there && !gone {
		p.fenced(object.Name)
	}
	now := pod{there: !gone, serving: !gone && readiness.Ready(object) && object.DeletionTimestamp == nil, served: before.served}
	if before.serving || now.serving {
		now.served = p.now
	}
	p.pods[object.Name] = now
	if object.Annotations[v1alpha1.DrainingSinceAnnotation] != "" && !gone {
		p.marked(object.Name)
	}
}

// empty reports whether there is nobody whom an end would take from clients.
func (p *past) empty() bool {
	for _, pod := range p.pods {
		if pod.there {
			return false
		}
	}
	return p.replicas == none
}

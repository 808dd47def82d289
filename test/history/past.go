//go:build integration

package history

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// past is what is known of one cache up to an event.
type past struct {
	now       time.Time
	wanted    int
	grace     time.Duration
	deleting  bool
	held      bool
	replicas  int
	ring      ring.Document
	published map[string]edition
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
	serving bool
	// served is when it was last seen serving.
	served time.Time
}

// none is the size of a StatefulSet that is not there.
const none = -1

// Check gives the laws that a history of one cache, in order, breaks.
func Check(events []Event) []string {
	p := &past{replicas: none, published: map[string]edition{}, left: map[int]time.Time{}, pods: map[string]pod{}}
	for _, e := range events {
		p.now = e.Seen
		switch object := e.Object.(type) {
		case *v1alpha1.DistributedCache:
			p.seeCache(object, e.Gone)
		case *corev1.ConfigMap:
			if !e.Gone {
				p.seeRing(object)
			}
		case *appsv1.StatefulSet:
			p.seeSet(object, e.Gone)
		case *corev1.Pod:
			p.seePod(object, e.Gone)
		}
	}
	return p.broken
}

func (p *past) breaks(format string, args ...any) {
	p.broken = append(p.broken, p.now.Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

func (p *past) seeCache(cache *v1alpha1.DistributedCache, gone bool) {
	p.wanted, p.grace, p.deleting = int(cache.WantedReplicas()), cache.Grace(), cache.DeletionTimestamp != nil
	held := slices.Contains(cache.Finalizers, v1alpha1.Finalizer) && !gone
	if p.held && !held {
		p.released()
	}
	p.held = held
}

func (p *past) seeSet(set *appsv1.StatefulSet, gone bool) {
	was := p.replicas
	p.replicas = int(*set.Spec.Replicas)
	switch {
	case gone:
		p.replicas = none
	case was == none:
		p.resized(p.wanted)
	case p.replicas < was:
		p.resized(was)
	}
}

func (p *past) seePod(object *corev1.Pod, gone bool) {
	before := p.pods[object.Name]
	now := pod{serving: !gone && readiness.Ready(object) && object.DeletionTimestamp == nil, served: before.served}
	if before.serving || now.serving {
		now.served = p.now
	}
	p.pods[object.Name] = now
	if object.Annotations[v1alpha1.DrainingSinceAnnotation] != "" && !gone {
		p.marked(object.Name)
	}
}

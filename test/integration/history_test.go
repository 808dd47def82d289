//go:build integration

package integration

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/controller"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// observer sees every ring, StatefulSet and cache by a watch of its own and checks the laws over
// the whole history, by its own clock.
type observer struct {
	mu     sync.Mutex
	caches map[types.NamespacedName]*past
	broken []string
}

// past is the history of one cache, by name: a recreated one begins anew with its UID.
type past struct {
	uid      string
	document ring.Document
	left     map[int]time.Time
	replicas int32
	wanted   int32
	grace    time.Duration
	deleting bool
}

var watching *observer

func (o *observer) of(namespace, name string) *past {
	key := types.NamespacedName{Namespace: namespace, Name: name}
	if o.caches[key] == nil {
		o.caches[key] = &past{left: map[int]time.Time{}, wanted: 1 << 30, replicas: -1}
	}
	return o.caches[key]
}

func (o *observer) breaks(format string, args ...any) {
	o.broken = append(o.broken, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// watch starts the observer.
func watch(ctx context.Context) *observer {
	GinkgoHelper()
	o := &observer{caches: map[types.NamespacedName]*past{}}
	c, err := cache.New(config, cache.Options{Scheme: controller.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	for _, object := range []client.Object{&v1alpha1.DistributedCache{}, &corev1.ConfigMap{}, &appsv1.StatefulSet{}} {
		informer, err := c.GetInformer(ctx, object)
		Expect(err).NotTo(HaveOccurred())
		_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc:    o.see,
			UpdateFunc: func(_, object any) { o.see(object) },
		})
		Expect(err).NotTo(HaveOccurred())
	}
	go func() { _ = c.Start(ctx) }()
	Expect(c.WaitForCacheSync(ctx)).To(BeTrue())
	return o
}

func (o *observer) see(object any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch object := object.(type) {
	case *v1alpha1.DistributedCache:
		p := o.of(object.Namespace, object.Name)
		p.wanted, p.grace, p.deleting = object.WantedReplicas(), object.Grace(), object.DeletionTimestamp != nil
	case *corev1.ConfigMap:
		if name := object.Labels[v1alpha1.OwnerNameLabel]; name != "" {
			o.seeRing(o.of(object.Namespace, name), object)
		}
	case *appsv1.StatefulSet:
		if name := object.Labels[v1alpha1.OwnerNameLabel]; name != "" && object.DeletionTimestamp == nil {
			o.seeSet(o.of(object.Namespace, name), object)
		}
	}
}

func (o *observer) seeRing(p *past, m *corev1.ConfigMap) {
	document, err := ring.Decode([]byte(m.Data[v1alpha1.RingKey]))
	if err != nil || !ours(m) {
		return
	}
	if uid := m.Data[v1alpha1.OwnerUIDKey]; uid != p.uid {
		*p = past{uid: uid, left: map[int]time.Time{}, wanted: p.wanted, replicas: -1, grace: p.grace}
	}
	same := slices.Equal(document.Members, p.document.Members)
	if document.Version < p.document.Version || document.Version == p.document.Version && !same {
		o.breaks("S1 %s: from %+v to %+v", m.Name, p.document, document)
	}
	for _, member := range p.document.Members {
		if ordinal, err := ring.Ordinal(member); err == nil && !slices.Contains(document.Members, member) {
			p.left[ordinal] = time.Now()
		}
	}
	for _, member := range document.Members {
		if ordinal, err := ring.Ordinal(member); err == nil {
			delete(p.left, ordinal)
		}
	}
	p.document = document
}

// ours tells a ring of the operator from one that a spec wrote by hand.
func ours(m *corev1.ConfigMap) bool {
	return !slices.ContainsFunc(m.ManagedFields, func(entry metav1.ManagedFieldsEntry) bool { return entry.Manager == "somebody" })
}

func (o *observer) seeSet(p *past, set *appsv1.StatefulSet) {
	replicas := *set.Spec.Replicas
	by := set.Annotations[v1alpha1.GenerationAnnotation]
	defer func() { p.replicas = replicas }()
	if p.replicas < 0 || replicas >= p.replicas || slices.ContainsFunc(set.ManagedFields, func(e metav1.ManagedFieldsEntry) bool { return e.Manager == "somebody" }) {
		return
	}
	if replicas < p.wanted {
		o.breaks("S5 %s/%s: %d replicas, %d wanted, generation %s", set.Namespace, set.Name, replicas, p.wanted, by)
	}
	for ordinal := replicas; ordinal < p.replicas; ordinal++ {
		if slices.Contains(p.document.Members, v1alpha1.PodName(set.Name, int(ordinal))) {
			o.breaks("S4 %s/%s: shrinks to %d with %d in the ring", set.Namespace, set.Name, replicas, ordinal)
		}
		if left, ok := p.left[int(ordinal)]; ok && time.Since(left) < p.grace-observerSlack {
			o.breaks("S4 %s/%s: shrinks to %d, %d left %s ago", set.Namespace, set.Name, replicas, ordinal, time.Since(left))
		}
	}
}

// observerSlack is how much later than it happened the observer may see a ring: two watches are
// compared, and the one may lag behind the other.
const observerSlack = 50 * time.Millisecond

// verdict gives the laws that were broken since the last call.
func (o *observer) verdict() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	broken := o.broken
	o.broken = nil
	return broken
}

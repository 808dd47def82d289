//go:build integration

package integration

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/controller"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// ringWatch tells when a ring of certain members is seen.
type ringWatch struct{ events chan ring.Document }

func (t tenant) watchRing(ctx context.Context) ringWatch {
	GinkgoHelper()
	watcher, err := client.NewWithWatch(config, client.Options{Scheme: controller.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	w, err := watcher.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(t.key.Namespace),
		client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("metadata.name", t.key.Name+"-ring")})
	Expect(err).NotTo(HaveOccurred())
	events := make(chan ring.Document, 1000)
	go func() {
		for e := range w.ResultChan() {
			if m, ok := e.Object.(*corev1.ConfigMap); ok {
				if d, err := ring.Decode([]byte(m.Data[v1alpha1.RingKey])); err == nil {
					events <- d
				}
			}
		}
	}()
	return ringWatch{events}
}

// until waits for a ring of so many members and says when it was seen.
func (w ringWatch) until(members int) time.Time {
	GinkgoHelper()
	timeout := time.After(30 * time.Second)
	for {
		select {
		case d := <-w.events:
			if len(d.Members) == members {
				return time.Now()
			}
		case <-timeout:
			Fail(fmt.Sprintf("no ring of %d members", members))
		}
	}
}

func percentile(sample []time.Duration, p int) float64 {
	slices.Sort(sample)
	return float64(sample[(len(sample)*p-1)/100].Microseconds()) / 1000
}

func figures(name string, sample []time.Duration) {
	fmt.Printf("\nfigure ring.%s_p50_ms %.1f ms\n", name, percentile(sample, 50))
	fmt.Printf("\nfigure ring.%s_p99_ms %.1f ms\n", name, percentile(sample, 99))
}

var _ = Describe("Bench: the ring follows", Serial, Label("bench"), func() {
	BeforeEach(func() {
		if os.Getenv("BENCH") == "" {
			Skip("a measurement: make bench-ring runs it")
		}
	})

	It("readiness and the spec", func() {
		const events = 100
		t := create(replicas(3), graceOf(3600))
		t.expectReady()
		watching, stop := context.WithCancel(ctx)
		defer stop()
		w := t.watchRing(watching)
		w.until(3)
		var unready, published, joined, dropped []time.Duration
		for range events {
			begin := time.Now()
			t.ready(2, corev1.ConditionFalse)
			unready = append(unready, w.until(2).Sub(begin))
			t.ready(2, corev1.ConditionTrue)
			// The condition has whole seconds, which the join delay counts from.
			due := t.pod(2).Status.Conditions
			since := due[slices.IndexFunc(due, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady })].LastTransitionTime
			published = append(published, w.until(3).Sub(since.Time))
			joined = append(joined, published[len(published)-1]-timing.JoinDelay)

			begin = time.Now()
			t.change(replicas(2))
			dropped = append(dropped, w.until(2).Sub(begin))
			t.change(replicas(3))
			w.until(3)
		}
		figures("unready_to_dropped", unready)
		figures("ready_to_published", published)
		figures("ready_to_published_after_join_delay", joined)
		figures("spec_to_dropped", dropped)
	})
})

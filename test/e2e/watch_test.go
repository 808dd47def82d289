//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/apiwatch"
	ringpkg "github.com/sk1-services/distributed-cache/pkg/ring"
)

// publisher writes rings as the operator does, and a client watches them.
type publisher struct {
	clientset *kubernetes.Clientset
	ring      *corev1.ConfigMap
	taken     chan sighting
}

// newPublisher writes a first ring, of a cache that is not there, and starts a client of it.
func newPublisher(cache string) *publisher {
	GinkgoHelper()
	api, err := clientcmd.BuildConfigFromFlags("", config)
	Expect(err).NotTo(HaveOccurred())
	api.QPS = -1
	p := &publisher{taken: make(chan sighting, 1000)}
	p.clientset, err = kubernetes.NewForConfig(api)
	Expect(err).NotTo(HaveOccurred())
	p.ring = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: cache + "-ring", Namespace: "default"}}
	p.fill(1)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	p.ring, err = p.clientset.CoreV1().ConfigMaps("default").Create(ctx, p.ring, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	client, err := cacheclient.New(cacheclient.Options{
		Source:  apiwatch.Source{Client: p.clientset, Namespace: "default", Cache: cache},
		Address: cacheclient.InCluster(cache, "default"),
		Hooks:   cacheclient.Hooks{RingTaken: func(s cacheclient.Snapshot) { p.taken <- sighting{s.Ring.Version, time.Now()} }},
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() {
		Expect(client.Close()).To(Succeed())
		must("delete", "configmap", cache+"-ring")
	})
	Expect(client.Wait(ctx)).To(Succeed())
	Expect((<-p.taken).Version).To(BeEquivalentTo(1))
	return p
}

func (p *publisher) fill(version int64) {
	GinkgoHelper()
	text, err := ringpkg.Document{Version: version, Members: []string{"nobody-0"}}.Encode()
	Expect(err).NotTo(HaveOccurred())
	p.ring.Data = map[string]string{"ring.json": string(text), "owner-uid": "nobody"}
}

// publish writes a ring and tells how long after the beginning of the write the client took it.
func (p *publisher) publish(version int64) (lag time.Duration) {
	GinkgoHelper()
	p.fill(version)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	began := time.Now()
	var err error
	p.ring, err = p.clientset.CoreV1().ConfigMaps("default").Update(ctx, p.ring, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
	var seen sighting
	Eventually(p.taken, "30s").Should(Receive(&seen))
	Expect(seen.Version).To(Equal(version))
	return seen.At.Sub(began)
}

var _ = Describe("A client that watches the ring", func() {
	It("is behind by milliseconds, the write included", func() {
		p := newPublisher("written")
		var lags []time.Duration
		for version := int64(2); version <= 101; version++ {
			lags = append(lags, p.publish(version))
		}
		slices.Sort(lags)
		fmt.Printf("\nfigure client.lag_api_p50_ms %.1f ms\n", lags[len(lags)/2].Seconds()*1000)
		fmt.Printf("\nfigure client.lag_api_p99_ms %.1f ms\n", lags[len(lags)*99/100-1].Seconds()*1000)
	})
})

// outage stops the API server for a minute, and a member dies meanwhile. No client is told of the
// one or the other; when the server is back a new ring is seen at once, and the operator goes on.
func outage() {
	GinkgoHelper()
	By("no request fails while the API server is stopped for a minute and a member crashes")
	apply(cache("outage", "{replicas: 3}"))
	ready("outage")
	l := underLoad("outage")
	p := newPublisher("alone")
	run(localkube, "stop", "kube-apiserver", "--name", instance)
	stopped := time.Now()
	time.Sleep(20 * time.Second)
	run("kill", "-KILL", pid("tiny-cache", "HOSTNAME=outage-1"))
	time.Sleep(time.Until(stopped.Add(time.Minute)))
	run(localkube, "start", "kube-apiserver", "--name", instance)
	Eventually(func() string { out, _ := kubectl("get", "--raw", "/readyz"); return out }, "60s").Should(Equal("ok"))
	fmt.Printf("\nfigure client.recovery_after_outage_s %.3f s\n", p.publish(2).Seconds())
	must("scale", "dc", "outage", "--replicas=2")
	Eventually(func() int { return len(ring("outage").Members) }, "180s").Should(Equal(2))
	version := ring("outage").Version
	Eventually(func() string { return must("logs", l.name) }).Should(ContainSubstring(fmt.Sprintf(`"Version":%d,`, version)))
	o := l.stop()
	noneFailed("outage", o, o.Errors+o.NoRing)
	must("delete", "dc", "outage", "--timeout=60s")
}

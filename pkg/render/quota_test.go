package render_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/render"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

const mi = 1 << 20

var epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// moment is a cache at some time of its history: pods has the memory of each, in Mi, and the last
// ones may be terminating.
type moment struct {
	name        string
	wanted      int
	memory      int64
	set         int
	pods        []int64
	terminating int
	members     int
	drained     bool
}

// state is the moment as it would be observed. Ordinals above the members have left the ring, and
// their grace is over if they are drained.
func (m moment) state() plan.State {
	s := plan.State{
		Now: epoch.Add(time.Hour), Wanted: m.wanted, Grace: 30 * time.Second, Held: true,
		Cell: &plan.Cell{Standing: true, Memory: m.memory * mi},
	}
	if m.set > 0 {
		s.Set = &plan.Set{Created: epoch, Replicas: m.set}
	}
	for i, memory := range m.pods {
		s.Pods = append(s.Pods, plan.Pod{
			Name: v1alpha1.PodName("orders-cache", i), Ordinal: i, Ready: true, ReadySince: epoch, Memory: memory * mi,
			Terminating: i >= len(m.pods)-m.terminating,
		})
	}
	if m.members > 0 {
		s.Ring, s.HighWater = &ring.Document{Version: 7}, 7
		for i := range m.members {
			s.Ring.Members = append(s.Ring.Members, v1alpha1.PodName("orders-cache", i))
		}
	}
	for i := m.members; i < m.set && m.members > 0 && m.wanted <= m.members; i++ {
		left := s.Now.Add(-10 * time.Second)
		if m.drained {
			left = s.Now.Add(-time.Minute)
		}
		s.Ledger = append(s.Ledger, plan.Drain{Ordinal: i, Since: left, Pinned: true})
	}
	return s
}

func each(n int, memory int64) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = memory
	}
	return list
}

// all are pods of several memories, in order of their ordinals.
func all(lists ...[]int64) []int64 {
	var joined []int64
	for _, list := range lists {
		joined = append(joined, list...)
	}
	return joined
}

var quotaHistory = []moment{
	{name: "a new cache of 10", wanted: 10, memory: 128},
	{name: "its pods come", wanted: 10, memory: 128, set: 10, pods: each(4, 128)},
	{name: "settled", wanted: 10, memory: 128, set: 10, pods: each(10, 128), members: 10},

	{name: "10 to 3: the size is held", wanted: 3, memory: 128, set: 10, pods: each(10, 128), members: 10},
	{name: "seven have left the ring", wanted: 3, memory: 128, set: 10, pods: each(10, 128), members: 3},
	{name: "their grace is over", wanted: 3, memory: 128, set: 10, pods: each(10, 128), members: 3, drained: true},
	{name: "the set is of 3, seven pods terminate", wanted: 3, memory: 128, set: 3, pods: each(10, 128), terminating: 7, members: 3},
	{name: "two of them are left", wanted: 3, memory: 128, set: 3, pods: each(5, 128), terminating: 2, members: 3},
	{name: "settled at 3", wanted: 3, memory: 128, set: 3, pods: each(3, 128), members: 3},

	{name: "10 again", wanted: 10, memory: 128, set: 3, pods: each(3, 128), members: 3},
	{name: "growing", wanted: 10, memory: 128, set: 10, pods: each(6, 128), members: 3},
	{name: "back to 3 on the way", wanted: 3, memory: 128, set: 10, pods: each(6, 128), members: 3},
	{name: "and to 10 while the size is held", wanted: 10, memory: 128, set: 10, pods: each(10, 128), members: 10},

	{name: "128Mi to 256Mi", wanted: 3, memory: 256, set: 3, pods: each(3, 128), members: 3},
	{name: "one larger pod of three", wanted: 3, memory: 256, set: 3, pods: all(each(2, 128), each(1, 256)), members: 3},
	{name: "all are larger", wanted: 3, memory: 256, set: 3, pods: each(3, 256), members: 3},
	{name: "256Mi to 128Mi", wanted: 3, memory: 128, set: 3, pods: each(3, 256), members: 3},
	{name: "two larger pods of three are left", wanted: 3, memory: 128, set: 3, pods: all(each(2, 256), each(1, 128)), members: 3},
	{name: "the last larger pod terminates", wanted: 3, memory: 128, set: 3, pods: all(each(2, 128), each(1, 256)), terminating: 1, members: 3},
	{name: "the last larger pod is gone", wanted: 3, memory: 128, set: 3, pods: each(3, 128), members: 3},

	{name: "larger and fewer at once", wanted: 3, memory: 256, set: 10, pods: each(10, 128), members: 3},
	{name: "smaller and more at once", wanted: 10, memory: 128, set: 3, pods: each(3, 256), members: 3},
}

// At every step of a history the quota lets in what exists and what is yet to come; the golden
// file shows it. UPDATE_GOLDEN=1 rewrites it.
func TestQuotaHistory(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-40s %6s %8s | %4s %5s %10s | %5s %8s\n", "", "wanted", "memory", "size", "pods", "their sum", "pods", "memory")
	for _, m := range quotaHistory {
		cache := load(t, "testdata/isolated")
		cache.Spec.Replicas, cache.Spec.MemoryPerPod = new(int32(m.wanted)), resource.NewQuantity(m.memory*mi, resource.BinarySI)
		p := plan.Next(m.state(), plan.DefaultTiming)
		objects, err := render.Render(cache, p, options)
		if err != nil {
			t.Fatal(err)
		}
		hard := *objects.Fence.Quota.Spec.Hard
		requests, limits, pods := hard[corev1.ResourceRequestsMemory], hard[corev1.ResourceLimitsMemory], hard.Pods()
		if !requests.Equal(limits) {
			t.Errorf("%s: %s of requests and %s of limits", m.name, &requests, &limits)
		}
		sum, size := int64(0), max(p.Replicas, len(m.pods))
		for _, memory := range m.pods {
			sum += memory
		}
		if need := (sum + int64(size-len(m.pods))*m.memory) * mi; limits.Value() < need || pods.Value() < int64(size) {
			t.Errorf("%s: %s and %s pods do not hold %d pods of %d", m.name, &limits, pods, size, need)
		}
		fmt.Fprintf(&b, "%-40s %6d %6dMi | %4d %5d %8dMi | %5s %8s\n", m.name, m.wanted, m.memory, p.Replicas, len(m.pods), sum, pods, &limits)
	}
	golden(t, "testdata/isolated/quota.txt", []byte(b.String()))
}

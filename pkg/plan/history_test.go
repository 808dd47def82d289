package plan_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// world is a cluster that carries out plans and is beset by misfortune. It keeps the whole
// history of rings, over which the laws are checked.
type world struct {
	now       time.Time
	wanted    int
	set       *plan.Set
	pods      map[int]plan.Pod
	ring      *ring.Document
	highWater int64
	versions  map[int64]string
	last      int64
}

func (w *world) state() plan.State {
	return plan.State{
		Now: w.now, Wanted: w.wanted, HighWater: w.highWater, Ring: w.ring, Set: w.set,
		Pods: slices.Collect(maps.Values(w.pods)),
	}
}

// step lets the operator make one pass; recorded says whether its status write succeeded.
func (w *world) step(t *rapid.T, recorded bool) plan.Plan {
	state := w.state()
	p := plan.Next(state, timing)
	if p.Untouched {
		t.Fatalf("nothing forbids acting: %+v", p)
	}
	if w.set != nil && p.Replicas < w.set.Replicas {
		t.Fatalf("the set shrinks from %d to %d", w.set.Replicas, p.Replicas)
	}
	if w.set == nil {
		w.set = &plan.Set{Created: w.now}
	}
	w.set.Replicas = p.Replicas
	if p.Ring != nil && (w.ring == nil || p.Ring.Version != w.ring.Version) {
		w.publish(t, state, p.Ring)
	}
	if recorded && w.ring != nil {
		w.highWater = max(w.highWater, w.ring.Version)
	}
	return p
}

func (w *world) publish(t *rapid.T, state plan.State, next *ring.Document) {
	bytes, err := next.Encode()
	if err != nil {
		t.Fatalf("ring does not encode: %v", err)
	}
	if next.Version <= w.last {
		t.Fatalf("version falls from %d to %d", w.last, next.Version)
	}
	if w.ring != nil && slices.Equal(w.ring.Members, next.Members) {
		t.Fatalf("version %d changes nothing", next.Version)
	}
	for _, member := range next.Members {
		ok := slices.ContainsFunc(state.Pods, func(p plan.Pod) bool { return p.Name == member && p.Serving() })
		if !ok {
			t.Fatalf("version %d holds %s, which does not serve", next.Version, member)
		}
	}
	if len(next.Members) == 0 && w.wanted > 0 {
		t.Fatalf("version %d is empty", next.Version)
	}
	w.last, w.versions[next.Version], w.ring = next.Version, string(bytes), next
}

// kubernetes creates missing pods and makes one more Ready.
func (w *world) kubernetes(healthy bool) {
	if w.set == nil {
		return
	}
	for i := range w.set.Replicas {
		if _, ok := w.pods[i]; !ok {
			w.pods[i] = unready(i)
		}
	}
	if !healthy {
		return
	}
	for _, i := range slices.Sorted(maps.Keys(w.pods)) {
		if p := w.pods[i]; !p.Ready && !p.Terminating {
			p.Ready, p.ReadySince = true, w.now
			w.pods[i] = p
			return
		}
	}
}

func (w *world) misfortune(t *rapid.T) {
	i := rapid.IntRange(0, 6).Draw(t, "pod")
	p, exists := w.pods[i]
	switch rapid.IntRange(0, 5).Draw(t, "misfortune") {
	case 0:
		delete(w.pods, i)
	case 1:
		if exists {
			p.Ready = false
			w.pods[i] = p
		}
	case 2:
		if exists {
			p.Terminating = true
			w.pods[i] = p
		}
	case 3:
		w.wanted = rapid.IntRange(0, 6).Draw(t, "wanted")
	case 4:
		if w.highWater >= w.last {
			w.ring = nil
		}
	case 5:
		w.now = w.now.Add(time.Duration(rapid.IntRange(0, 90_000).Draw(t, "ms")) * time.Millisecond)
	}
}

// Whatever happens, the laws hold at every version, and once nothing happens any more the ring
// comes to hold every pod.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{now: epoch, wanted: rapid.IntRange(0, 6).Draw(t, "wanted"), pods: map[int]plan.Pod{}, versions: map[int64]string{}}
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			w.now = w.now.Add(time.Duration(rapid.IntRange(0, 2_000).Draw(t, "pass ms")) * time.Millisecond)
			w.kubernetes(rapid.Bool().Draw(t, "healthy"))
			w.misfortune(t)
			w.step(t, rapid.IntRange(0, 4).Draw(t, "recorded") > 0)
		}
		for i, p := range w.pods {
			if p.Terminating {
				delete(w.pods, i)
			}
		}
		for range 200 {
			w.kubernetes(true)
			w.step(t, true)
			w.now = w.now.Add(time.Second)
		}
		p := w.step(t, true)
		if want := members(slices.Collect(ordinals(w.set.Replicas))...); !slices.Equal(w.ring.Members, want) || p.Wake != 0 {
			t.Fatalf("does not settle: ring %+v, want %v, plan %+v", w.ring, want, p)
		}
	})
}

func ordinals(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

const tick = 100 * time.Millisecond

// world is a cluster that does at once what the machine asks for.
type world struct {
	state plan.State
	start time.Duration
	born  map[int]time.Time
	gone  bool
}

func newWorld(replicas int, grace, start time.Duration) *world {
	begin := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	return &world{start: start, born: map[int]time.Time{}, state: plan.State{Now: begin, Wanted: replicas, Grace: grace}}
}

// settle brings the first ring up and waits until everybody has been Ready for long.
func (w *world) settle() {
	for range 600 {
		w.pass()
		w.state.Now = w.state.Now.Add(tick)
	}
}

// play lets the events happen and prints every change of the plan.
func (w *world) play(events []event, quiet time.Duration, out io.Writer) {
	begin, last := w.state.Now, ""
	end := quiet
	if len(events) > 0 {
		end += events[len(events)-1].at
	}
	for now := time.Duration(0); now <= end && !w.gone; now += tick {
		var notes []string
		for len(events) > 0 && events[0].at <= now {
			notes = append(notes, w.happen(events[0]))
			events = events[1:]
		}
		w.state.Now = begin.Add(now)
		p := w.pass()
		line := fmt.Sprintf("%-10s %4d  %-24s %-28s", p.Step, w.size(), show(w.state.Ring), ordinals(w.state.Ledger))
		if line != last || len(notes) > 0 {
			fmt.Fprintf(out, "%7.1fs  %s %s\n", now.Seconds(), line, strings.Join(notes, ", "))
		}
		last = line
	}
}

func (w *world) happen(e event) string {
	s := &w.state
	switch e.what {
	case "replicas":
		s.Wanted = e.value
		return fmt.Sprintf("replicas: %d", e.value)
	case "kill":
		delete(w.born, e.value)
		return fmt.Sprintf("pod %d dies", e.value)
	case "unready":
		w.born[e.value] = s.Now
		return fmt.Sprintf("pod %d is not Ready", e.value)
	case "lose-ring":
		s.Ring, s.Ledger = nil, nil
		return "the ring is deleted"
	default:
		s.Deleted = s.Now
		return "the cache is deleted"
	}
}

// pass carries one plan out, then lets Kubernetes act.
func (w *world) pass() plan.Plan {
	s := &w.state
	p := plan.Next(*s, plan.DefaultTiming)
	s.Held = s.Held || p.Claim
	w.gone = p.Release
	if p.Workload {
		if s.Set == nil {
			s.Set = &plan.Set{Created: s.Now}
		}
		s.Set.Replicas = p.Replicas
	}
	if p.Ring != nil {
		w.write(p)
	}
	for ordinal := range w.born {
		if ordinal >= w.size() {
			delete(w.born, ordinal)
		}
	}
	for ordinal := range w.size() {
		if _, ok := w.born[ordinal]; !ok {
			w.born[ordinal] = s.Now
		}
	}
	s.Pods = nil
	for _, ordinal := range slices.Sorted(maps.Keys(w.born)) {
		ready := w.born[ordinal].Add(w.start)
		s.Pods = append(s.Pods, plan.Pod{
			Name: fmt.Sprintf("pod-%d", ordinal), Ordinal: ordinal, Ready: !s.Now.Before(ready), ReadySince: ready, Grace: s.Grace,
		})
	}
	return p
}

// write stores the ring as the API server would: entries without a time get that of the write.
func (w *world) write(p plan.Plan) {
	s := &w.state
	s.Ring = p.Ring
	s.HighWater = max(s.HighWater, p.Ring.Version)
	s.Ledger = nil
	for _, d := range p.Ledger {
		if d.Since.IsZero() {
			d.Since = s.Now.Truncate(time.Second).Add(time.Second)
		}
		s.Ledger = append(s.Ledger, d)
	}
}

func (w *world) size() int {
	if w.state.Set == nil {
		return 0
	}
	return w.state.Set.Replicas
}

func show(d *ring.Document) string {
	if d == nil {
		return "none"
	}
	var list []string
	for _, name := range d.Members {
		list = append(list, strings.TrimPrefix(name, "pod-"))
	}
	return fmt.Sprintf("v%d [%s]", d.Version, strings.Join(list, " "))
}

func ordinals(l plan.Ledger) string {
	var list []string
	for _, d := range l {
		list = append(list, fmt.Sprint(d.Ordinal))
	}
	return "leaving [" + strings.Join(list, " ") + "]"
}

package plan_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/plan"
)

type next = func(plan.State, plan.Timing) plan.Plan

// before and after make a mutant that sees, or says, something else.
func before(edit func(*plan.State)) next {
	return func(s plan.State, t plan.Timing) plan.Plan { edit(&s); return plan.Next(s, t) }
}

func after(edit func(plan.State, *plan.Plan)) next {
	return func(s plan.State, t plan.Timing) plan.Plan {
		p := plan.Next(s, t)
		edit(s, &p)
		return p
	}
}

// mutants are known mistakes of such operators, each of which breaks a law that the histories
// check.
var mutants = []struct {
	name string
	next next
	edit func(*operator)
	// drawn fixes some of what a history draws, by label: what a rare mistake needs to show.
	drawn map[string]int
}{
	{"members in order of their text", after(func(_ plan.State, p *plan.Plan) {
		if p.Ring != nil && len(p.Ring.Members) > 1 {
			d := *p.Ring
			d.Members = slices.Clone(d.Members)
			slices.Reverse(d.Members)
			p.Ring = &d
		}
	}), nil, nil},
	{"marks before the ring is stored", after(func(s plan.State, p *plan.Plan) {
		for _, pod := range s.Pods {
			if slices.ContainsFunc(p.Ledger, func(d plan.Drain) bool { return d.Ordinal == pod.Ordinal }) {
				p.Marks = append(p.Marks, plan.Mark{Pod: pod.Name, Since: s.Now, Grace: s.Grace})
			}
		}
	}), func(o *operator) { o.marksFirst = true }, nil},
	{"no fence on what is written", plan.Next, func(o *operator) { o.unfenced, o.unconfirmed = true, true }, nil},
	{"no live read before a grave step", plan.Next, func(o *operator) { o.unconfirmed = true }, nil},
	{"the grace counts from the deletion", before(func(s *plan.State) {
		if !s.Deleted.IsZero() {
			for i := range s.Ledger {
				s.Ledger[i].Since = s.Deleted
			}
		}
	}), nil, nil},
	{"a condemned pod comes back", after(func(s plan.State, p *plan.Plan) {
		if p.Ring == nil || s.Ring == nil || !s.Deleted.IsZero() {
			return
		}
		for _, pod := range s.Pods {
			if slices.ContainsFunc(s.Ledger, func(d plan.Drain) bool { return d.Ordinal == pod.Ordinal }) && pod.Serving() {
				p.Ring = doc(s.Ring.Version+1, append(upTo(s.Wanted), pod.Ordinal)...)
			}
		}
	}), nil, nil},
	{"the size from what is observed", after(func(s plan.State, p *plan.Plan) {
		if p.Workload && s.Set != nil {
			p.Replicas = len(s.Pods)
		}
	}), nil, nil},
	{"the version begins again when the ring is lost", before(func(s *plan.State) {
		if s.Ring == nil {
			s.HighWater = 0
		}
	}), nil, nil},
	{"a lost ring comes back under the next version", after(func(s plan.State, p *plan.Plan) {
		if s.Ring == nil && s.HighWater > 0 && p.Ring != nil {
			d := *p.Ring
			d.Version = s.HighWater
			p.Ring = &d
		}
	}), nil, nil},
	{"the version is not recorded before the next", before(func(s *plan.State) {
		if s.Ring != nil && s.Ring.Version > s.HighWater+1 {
			s.HighWater = s.Ring.Version
		}
		if s.Ring == nil && s.HighWater > 2 {
			s.HighWater -= 2
		}
	}), nil, nil},
	{"a mark stays when the drain is cancelled", after(func(_ plan.State, p *plan.Plan) {
		p.Marks = slices.DeleteFunc(p.Marks, func(m plan.Mark) bool { return m.Since.IsZero() })
	}), nil, nil},
	{"the set shrinks at once", after(func(s plan.State, p *plan.Plan) {
		if p.Workload {
			p.Replicas, p.Confirm = s.Wanted, true
		}
	}), nil, nil},
	{"the grace is judged by a clock that runs ahead", before(func(s *plan.State) { s.Now = s.Now.Add(4 * time.Second) }), nil, nil},
	{"the time is the second of the write, cut off", before(func(s *plan.State) {
		for i := range s.Ledger {
			s.Ledger[i].Since = s.Ledger[i].Since.Add(-time.Second)
		}
	}), nil, nil},
	{"the ledger is forgotten", before(func(s *plan.State) { s.Ledger = nil }), nil, nil},
	{"unreadiness empties the ring", after(func(s plan.State, p *plan.Plan) {
		if s.Ring != nil && len(s.Ring.Members) > 0 && p.Workload && !slices.ContainsFunc(s.Pods, func(p plan.Pod) bool { return p.Serving() }) {
			p.Ring, p.Confirm = doc(s.Ring.Version+1), true
		}
	}), nil, nil},
	{"publish leads readiness", after(func(s plan.State, p *plan.Plan) {
		if p.Workload && s.Ring != nil && len(s.Ring.Members) < s.Wanted {
			p.Ring, p.Confirm = doc(s.Ring.Version+1, upTo(s.Wanted)...), true
		}
	}), nil, nil},
	{"the cell is razed before the grace", after(func(s plan.State, p *plan.Plan) {
		if p.Step == plan.StepRetire && s.Cell != nil && s.Cell.Standing && s.Ring != nil && len(s.Ring.Members) == 0 {
			p.Raze, p.Confirm = true, true
		}
	}), nil, nil},
	{"the pods of a deleted cache go before the grace", after(func(s plan.State, p *plan.Plan) {
		if p.Step == plan.StepRetire && s.Cell != nil && s.Ring != nil && len(s.Ring.Members) == 0 {
			p.Empty, p.Replicas, p.Confirm = true, 0, true
		}
	}), nil, nil},
	{"the cell is razed for a cache that lives", after(func(s plan.State, p *plan.Plan) {
		p.Raze = s.Cell != nil && p.Step == plan.StepShrink
	}), nil, nil},
	{"pods come before the quota is in force", before(func(s *plan.State) {
		if s.Cell != nil {
			s.Cell.InForce = ample
		}
	}), nil, nil},
	{"the set is not written while the quota lags behind", after(func(s plan.State, p *plan.Plan) {
		if p.Fence != nil && s.Cell.InForce.Pods < p.Fence.Quota.Pods {
			p.Workload = false
		}
	}), nil, nil},
	{"without its fence the ring changes beside a set of an older wish", plan.Next, func(o *operator) { o.unstamped = true }, map[string]int{"isolated": 0, "held": 0}},
	{"the finalizer goes before the cell", after(func(_ plan.State, p *plan.Plan) {
		if p.Raze {
			*p = plan.Plan{Step: plan.StepRelease, Release: true, Confirm: true}
		}
	}), nil, nil},
	{"the quota never falls", before(func(s *plan.State) {
		if s.Cell != nil {
			s.Pods = append(s.Pods, plan.Pod{Name: name(0), Ordinal: 0, Memory: 2 * perPod, Terminating: true, Grace: s.Grace})
		}
	}), nil, nil},
	{"the finalizer goes with the ring", before(func(s *plan.State) {
		if !s.Deleted.IsZero() && s.Ring != nil && len(s.Ring.Members) == 0 {
			s.Grace = 0
		}
	}), nil, nil},
}

// Each mutant is caught within a bounded number of histories; the log is the table.
func TestMutantsAreCaught(t *testing.T) {
	const histories = 3000
	caught := 0
	defer func() {
		fmt.Printf("\nfigure plan.mutants_total %d mutants\nfigure plan.mutants_caught %d mutants\n", len(mutants), caught)
	}()
	for _, mutant := range mutants {
		t.Run(mutant.name, func(t *testing.T) {
			for seed := range uint64(histories) {
				random := rand.New(rand.NewPCG(seed, 1))
				draw := func(limit int, label string) int {
					n := random.IntN(limit)
					if fixed, ok := mutant.drawn[label]; ok {
						return fixed
					}
					return n
				}
				if c := history(draw, two(mutant.next, mutant.edit)); len(c.broken) > 0 {
					law, _, _ := strings.Cut(c.broken[0], ":")
					caught++
					t.Logf("caught in history %d by the law: %s", seed, law)
					return
				}
			}
			t.Errorf("survived %d histories", histories)
		})
	}
}

// The same histories, without a mutation, break no law: it is the mutants that are caught.
func TestSeededHistories(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 1))
		draw := func(limit int, _ string) int { return random.IntN(limit) }
		if c := history(draw, two(plan.Next, nil)); len(c.broken) > 0 {
			t.Fatalf("seed %d: %s\n%s", seed, c.broken[0], strings.Join(c.story, "\n"))
		}
	}
}

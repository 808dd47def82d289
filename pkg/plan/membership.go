package plan

import (
	"maps"
	"slices"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

func document(version int64, members []string) *ring.Document {
	return &ring.Document{Version: version, Members: members}
}

// bootstrap publishes the first ring: when all wanted pods serve, or some do after the limit.
// A ring whose ConfigMap was lost is not a first one and comes back as soon as a pod serves.
func bootstrap(s State, t Timing) (Plan, bool) {
	if s.Ring != nil {
		return Plan{}, false
	}
	p := Plan{Step: StepBootstrap}
	serving := s.serving()
	due := len(serving) == s.limit()
	if !due && len(serving) > 0 && s.Set != nil {
		left := s.Set.Created.Add(t.BootstrapLimit).Sub(s.Now)
		due = s.HighWater > 0 || left <= 0
		p.Wake = max(left, 0)
	}
	if due {
		members := names(serving)
		p = Plan{Step: StepPublish, Ring: document(s.firstVersion(), members), Ledger: s.doom(members), Confirm: true}
	}
	return p, true
}

// firstVersion leaves out one version after a loss, since the recorded one may be one behind.
func (s State) firstVersion() int64 {
	if s.HighWater == 0 {
		return 1
	}
	return s.HighWater + 2
}

// publish changes a standing ring: who stopped serving or is no longer wanted leaves at once, who
// has been Ready long enough joins, and the ledger says who left for good. A version below the
// recorded one, which only an edit by hand can bring, is replaced by one above it.
func publish(s State, t Timing) (Plan, bool) {
	next := s.members(t)
	ledger := s.doom(next)
	sameRing := slices.Equal(next, s.Ring.Members) && s.Ring.Version >= s.HighWater
	if sameRing && slices.Equal(ledger.ordinals(), s.Ledger.ordinals()) && !s.Ledger.timeless() {
		return Plan{}, false
	}
	p := Plan{Step: StepPublish, Ring: s.Ring, Ledger: s.timed(ledger).pinned(), Confirm: true, Wake: s.joinWait(t)}
	if !sameRing {
		p.Ring = document(max(s.Ring.Version, s.HighWater)+1, next)
	}
	return p, true
}

// timeless reports whether a stored entry has no time: somebody erased the server's record.
func (l Ledger) timeless() bool {
	return slices.ContainsFunc(l, func(d Drain) bool { return d.Since.IsZero() })
}

// timed gives stored entries without a time the present one, which is late rather than early: a
// second is added since the server's record has whole seconds.
func (s State) timed(ledger Ledger) Ledger {
	ledger = slices.Clone(ledger)
	for i := range ledger {
		if _, stored := s.Ledger.find(ledger[i].Ordinal); stored && ledger[i].Since.IsZero() && !s.inRing(ledger[i].Ordinal) {
			ledger[i].Since = s.Now.Add(time.Second)
		}
	}
	return ledger
}

// members is the list that should stand now.
func (s State) members(t Timing) []string {
	serving := s.serving()
	next := map[string]Pod{}
	for _, name := range s.Ring.Members {
		if p, ok := serving[name]; ok {
			next[name] = p
		}
	}
	maps.Copy(next, s.joiners(t))
	if len(next) == 0 && s.limit() > 0 {
		return s.Ring.Members
	}
	return names(next)
}

// newcomers are the serving pods that are not in the ring.
func (s State) newcomers() map[string]Pod {
	pods := s.serving()
	for _, name := range s.Ring.Members {
		delete(pods, name)
	}
	return pods
}

// joiners are the newcomers that enter now: all that have been Ready for the delay, once the
// youngest of them has, or the eldest has waited a window longer.
func (s State) joiners(t Timing) map[string]Pod {
	if s.joinWait(t) > 0 {
		return nil
	}
	pods := s.newcomers()
	maps.DeleteFunc(pods, func(_ string, p Pod) bool { return s.Now.Before(p.ReadySince.Add(t.JoinDelay)) })
	return pods
}

// joinWait is how long newcomers still wait, 0 if there are none or their time has come.
func (s State) joinWait(t Timing) time.Duration {
	var eldest, youngest time.Time
	for _, p := range s.newcomers() {
		if eldest.IsZero() || p.ReadySince.Before(eldest) {
			eldest = p.ReadySince
		}
		if p.ReadySince.After(youngest) {
			youngest = p.ReadySince
		}
	}
	if eldest.IsZero() {
		return 0
	}
	due := youngest.Add(t.JoinDelay)
	if limit := eldest.Add(t.JoinDelay + t.JoinWindow); limit.Before(due) {
		due = limit
	}
	return max(due.Sub(s.Now), 0)
}

// hold keeps pods from being made that the quota in force would refuse.
func hold(s State, _ Timing) (Plan, bool) { return Plan{Step: StepFence}, !s.fenced() }

// wait names what a standing ring waits for.
func wait(s State, t Timing) (Plan, bool) {
	p := Plan{Wake: s.joinWait(t)}
	switch {
	case len(s.newcomers()) > 0:
		p.Step = StepJoin
	case len(s.serving()) < s.limit():
		p.Step = StepGrow
	default:
		return Plan{}, false
	}
	return p, true
}

func names(pods map[string]Pod) []string {
	list := slices.Collect(maps.Keys(pods))
	ring.Sort(list)
	return list
}

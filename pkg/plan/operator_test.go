package plan_test

import (
	"maps"
	"slices"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// operator makes passes on a view that may be older than the cluster, each object for itself.
type operator struct {
	cluster *cluster
	next    func(plan.State, plan.Timing) plan.Plan

	cache *cacheObject
	cell  *cellObject
	ring  *ringObject
	set   *setObject
	pods  map[int]podObject

	// behind is how much less than the API server's time it knows to have passed.
	behind time.Duration
	// marksFirst writes the marks before the ring.
	marksFirst bool
	// hold runs between the reads of a pass and its writes.
	hold func() bool
	// unfenced and unconfirmed leave out what the mutants leave out.
	unfenced, unconfirmed, unstamped bool
}

// What of the view is brought up to date.
const (
	seeCache = 1 << iota
	seeRing
	seeSet
	seePods
	seeCell
	seeAll = seeCell | seeCache | seeRing | seeSet | seePods
)

func (o *operator) see(what int) {
	c := o.cluster
	if what&seeCache != 0 {
		o.cache = c.cache
	}
	if what&seeCell != 0 {
		o.cell = c.cell
	}
	if what&seeRing != 0 {
		o.ring = c.ring
	}
	if what&seeSet != 0 {
		o.set = c.set
	}
	if what&seePods != 0 {
		o.pods = maps.Clone(c.pods)
	}
}

// state is the view as pkg/observe would give it.
func (o *operator) state() plan.State {
	s := plan.State{
		Now: o.cluster.now.Add(-o.behind), Wanted: o.cache.wanted, Grace: o.cache.grace,
		Deleted: o.cache.deleted, Held: o.cache.held, HighWater: o.cache.highWater,
	}
	if o.cache.isolated {
		s.Cell = &plan.Cell{Memory: perPod}
		if o.cell == nil {
			return s
		}
		s.Cell.Standing, s.Cell.Going, s.Cell.InForce = true, o.cell.going, o.cell.inForce
	}
	if o.ring != nil {
		document := o.ring.document
		s.Ring = &document
		for _, d := range o.ring.ledger {
			if !d.Pinned {
				d.Since = o.ring.written.Add(time.Second)
			}
			s.Ledger = append(s.Ledger, d)
		}
	}
	if o.set != nil {
		s.Set = &plan.Set{Created: o.set.created, Replicas: o.set.replicas}
	}
	for _, ordinal := range slices.Sorted(maps.Keys(o.pods)) {
		s.Pods = append(s.Pods, o.pods[ordinal].Pod)
	}
	return s
}

// pass is what the spine does with a plan. A pass may be cut short after any write, or its status
// write may fail.
func (o *operator) pass(cut int) plan.Plan {
	if o.cache == nil || o.cache.gone {
		return plan.Plan{}
	}
	s := o.state()
	p := o.next(s, timing)
	c := o.cluster
	creates := p.Workload && o.set == nil || p.Ring != nil && o.ring == nil || p.Fence != nil && o.cell == nil
	if (p.Confirm || p.Claim || creates) && !o.unconfirmed {
		o.see(seeAll)
		if o.cache.gone {
			return plan.Plan{}
		}
		s = o.state()
		p = o.next(s, timing)
	}
	if o.hold != nil {
		c.late = o.hold()
		c.lateWants = o.cache.wanted
		defer func() { c.late = false }()
	}
	stale := false
	writes := []func(){
		func() { o.claim(p) },
		func() {
			if p.Fence != nil && !c.writeFence(o.cell, *p.Fence) {
				p.Workload, stale = false, o.set == nil || o.set.generation != o.cache.generation && !o.unstamped
			}
		},
		func() {
			if p.Workload || p.Empty {
				stale = !c.writeSet(o.set, !o.unfenced, p.Replicas, o.cache.generation)
			}
		},
		func() {
			if !stale {
				o.publish(s, p)
			}
		},
		func() {
			for _, m := range p.Marks {
				for _, pod := range o.pods {
					if pod.Name == m.Pod {
						c.mark(m, pod.identity)
					}
				}
			}
		},
		func() {
			if p.Raze {
				c.raze(o.cell)
			}
		},
		func() {
			if p.Release && c.cache.held && c.cache == o.cache {
				c.release()
			}
		},
		func() { o.record(p) },
	}
	if o.marksFirst {
		writes[3], writes[4] = writes[4], writes[3]
	}
	for i, write := range writes {
		if i == cut {
			return p
		}
		write()
	}
	return p
}

func (o *operator) claim(p plan.Plan) {
	if c := o.cluster; p.Claim && !c.cache.held {
		next := *c.cache
		next.held = true
		c.cache = &next
	}
}

func (o *operator) publish(s plan.State, p plan.Plan) {
	if p.Ring == nil {
		return
	}
	if s.Ring != nil && s.Ring.Version == p.Ring.Version && slices.Equal(s.Ring.Members, p.Ring.Members) && sameLedger(s.Ledger, p.Ledger) {
		return
	}
	o.cluster.writeRing(o.ring, !o.unfenced, ring.Document{Version: p.Ring.Version, Members: p.Ring.Members}, p.Ledger)
}

func sameLedger(a, b plan.Ledger) bool {
	return slices.EqualFunc(a, b, func(a, b plan.Drain) bool {
		return a.Ordinal == b.Ordinal && a.Pinned == b.Pinned && (!a.Pinned || a.Since.Equal(b.Since))
	})
}

// record writes the status on top of the cache that was read.
func (o *operator) record(p plan.Plan) {
	c := o.cluster
	if p.Ring == nil || c.cache != o.cache || c.ring == nil || c.ring.document.Version < p.Ring.Version || p.Ring.Version <= c.cache.highWater {
		return
	}
	next := *c.cache
	next.highWater = p.Ring.Version
	c.cache = &next
}

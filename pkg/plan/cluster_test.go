package plan_test

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// cluster is a simulated API server with its controllers. It carries out what operators send,
// under the API server's rules, and checks every law against the whole history. Its state is
// immutable: a change makes a new value, so that a stale view is an old pointer.
type cluster struct {
	now    time.Time
	cache  *cacheObject
	cell   *cellObject
	ring   *ringObject
	set    *setObject
	pods   map[int]podObject
	broken []string
	story  []string
	// late says that the write under way was held on its way. What it creates for a cache that has
	// gone meanwhile no API server can refuse; the garbage collector removes it.
	late bool
	// lateWants is how many members the cache wanted when that write was decided on. No fence stops
	// a ring on its way from a change of the cache's wants: what it empties is filled again.
	lateWants int
	// refuses says that the API server refuses part of what fences the cell.
	refuses bool

	lastVersion int64
	outSince    map[int]time.Time
	// served are the ordinals that had a Ready pod at some time: a view may be old, not invented.
	served map[int]bool
	// condemned are the ordinals that a stored ledger held at some time.
	condemned map[int]bool
	// member are the ordinals that a stored ring held at some time.
	member     map[int]bool
	identities int
}

type cacheObject struct {
	generation int
	wanted     int
	isolated   bool
	grace      time.Duration
	deleted    time.Time
	held       bool
	gone       bool
	highWater  int64
}

type ringObject struct {
	document ring.Document
	ledger   plan.Ledger
	written  time.Time
}

type setObject struct {
	generation int
	created    time.Time
	replicas   int
}

type podObject struct {
	plan.Pod
	identity int
}

func newCluster(wanted int, isolated bool, grace time.Duration) *cluster {
	return &cluster{
		now: epoch, cache: &cacheObject{wanted: wanted, isolated: isolated, grace: grace}, pods: map[int]podObject{}, outSince: map[int]time.Time{}, served: map[int]bool{}, condemned: map[int]bool{}, member: map[int]bool{},
	}
}

// log keeps what happened, for the report of a broken law.
func (c *cluster) log(format string, args ...any) {
	c.story = append(c.story, fmt.Sprintf("%7.3fs ", c.now.Sub(epoch).Seconds())+fmt.Sprintf(format, args...))
}

func (c *cluster) breaks(law, format string, args ...any) {
	c.broken = append(c.broken, law+": "+fmt.Sprintf(format, args...))
	c.log("BROKEN %s", c.broken[len(c.broken)-1])
}

// writeRing stores a ring on top of the one that was read. The API server notes the time, in
// whole seconds.
func (c *cluster) writeRing(read *ringObject, fenced bool, next ring.Document, ledger plan.Ledger) bool {
	if fenced && read != c.ring {
		return false
	}
	if c.cache.gone && !c.late {
		c.breaks("nothing is written for a cache that is gone", "ring %+v", next)
	}
	if c.ring == nil && !c.cache.deleted.IsZero() && !c.late {
		c.breaks("nothing is created for a cache that is being deleted", "ring %+v", next)
	}
	if c.ring == nil && c.closed() {
		return false
	}
	c.checkRing(next)
	for ordinal := range 8 {
		switch {
		case slices.Contains(next.Members, name(ordinal)):
			delete(c.outSince, ordinal)
			c.member[ordinal] = true
		case c.member[ordinal] && c.outSince[ordinal].IsZero():
			c.outSince[ordinal] = c.now
		}
	}
	for _, d := range ledger {
		c.condemned[d.Ordinal] = true
	}
	c.log("ring %d %v ledger %v", next.Version, next.Members, ledger.String())
	c.ring = &ringObject{document: next, ledger: ledger, written: c.now.Truncate(time.Second)}
	return true
}

func (c *cluster) checkRing(next ring.Document) {
	if _, err := next.Encode(); err != nil {
		c.breaks("members are in numeric order", "%v", err)
	}
	same := c.ring != nil && slices.Equal(c.ring.document.Members, next.Members) && c.ring.document.Version == next.Version
	if !same && next.Version <= c.lastVersion {
		c.breaks("the version grows when the bytes change", "from %d to %d", c.lastVersion, next.Version)
	}
	if same && c.ring.document.Version != next.Version {
		c.breaks("the version stays when the bytes do", "%d", next.Version)
	}
	lateEmpty := c.late && (c.ring == nil || c.lateWants == 0)
	if len(next.Members) == 0 && !same && c.cache.wanted > 0 && c.cache.deleted.IsZero() && !lateEmpty {
		c.breaks("unreadiness never empties the ring", "version %d", next.Version)
	}
	for _, member := range next.Members {
		ordinal, err := ring.Ordinal(member)
		if err != nil {
			continue
		}
		kept := c.ring != nil && slices.Contains(c.ring.document.Members, member)
		if !kept && !c.served[ordinal] {
			c.breaks("publish never leads readiness", "%s is in version %d", member, next.Version)
		}
		if c.ring != nil && !kept && ordinal >= c.cache.wanted && c.doomed(ordinal) {
			c.breaks("who is condemned does not come back", "%s is in version %d", member, next.Version)
		}
	}
	c.lastVersion = max(c.lastVersion, next.Version)
}

func (c *cluster) doomed(ordinal int) bool {
	return slices.ContainsFunc(c.ring.ledger, func(d plan.Drain) bool { return d.Ordinal == ordinal })
}

// absent is how long the ordinal has been out of the stored ring; for ever, if it never was in.
func (c *cluster) absent(ordinal int) time.Duration {
	if !c.member[ordinal] {
		return time.Duration(1 << 62)
	}
	if since, ok := c.outSince[ordinal]; ok {
		return c.now.Sub(since)
	}
	if c.ring == nil && !c.cache.deleted.IsZero() {
		return c.now.Sub(c.cache.deleted)
	}
	return 0
}

// writeSet stores a StatefulSet on top of the one that was read. It carries the generation of the
// cache that it was rendered from, so that every change of mind makes older reads of it stale.
func (c *cluster) writeSet(read *setObject, fenced bool, replicas, generation int) bool {
	if fenced && read != c.set {
		return false
	}
	switch {
	case c.set == nil && (c.cache.gone || !c.cache.deleted.IsZero()) && !c.late:
		c.breaks("nothing is created for a cache that is being deleted", "set of %d", replicas)
	case c.set == nil && c.closed():
		return false
	case c.set != nil && replicas == c.set.replicas && generation == c.set.generation:
		return true
	case c.set != nil && replicas < c.set.replicas:
		if replicas < c.cache.wanted && c.cache.deleted.IsZero() {
			c.breaks("the set never falls below what is wanted", "to %d of %d", replicas, c.cache.wanted)
		}
		for ordinal := replicas; ordinal < c.set.replicas; ordinal++ {
			if out := c.absent(ordinal); out < c.cache.grace {
				c.breaks("the set shrinks only after the grace", "%d left %s ago", ordinal, out)
			}
		}
	}
	created := c.now
	if c.set != nil {
		created = c.set.created
	}
	c.log("set %d", replicas)
	c.set = &setObject{created: created, replicas: replicas, generation: generation}
	return true
}

func (c *cluster) mark(m plan.Mark, identity int) {
	for ordinal, p := range c.pods {
		if p.Name != m.Pod || p.identity != identity {
			continue
		}
		if !m.Since.IsZero() && !c.condemned[ordinal] {
			c.breaks("a mark never precedes the ring", "%s", m.Pod)
		}
		p.Marked, p.Grace = m.Since, m.Grace
		c.pods[ordinal] = p
	}
}

func (c *cluster) release() {
	c.log("release")
	if c.cell != nil {
		c.breaks("the cell goes before the finalizer", "%+v", *c.cell)
	}
	for ordinal := range c.pods {
		if out := c.absent(ordinal); c.ring != nil && out < c.cache.grace {
			c.breaks("the finalizer goes only after the grace", "%d left %s ago", ordinal, out)
		}
	}
	if c.ring != nil && len(c.ring.document.Members) > 0 && len(c.pods) > 0 {
		c.breaks("the finalizer goes only after an empty ring", "version %d", c.ring.document.Version)
	}
	next := *c.cache
	next.held, next.gone = false, !c.cache.deleted.IsZero()
	c.cache = &next
}

// kubernetes lets the StatefulSet's controller and the kubelet act.
func (c *cluster) kubernetes(healthy bool) {
	for ordinal, p := range c.pods {
		if p.Terminating || c.set != nil && ordinal >= c.set.replicas {
			delete(c.pods, ordinal)
		}
	}
	c.namespaces(healthy)
	if c.set == nil || c.cache.gone {
		return
	}
	for ordinal := range c.set.replicas {
		if _, ok := c.pods[ordinal]; !ok && c.admits() {
			c.identities++
			c.pods[ordinal] = podObject{Pod: plan.Pod{Name: name(ordinal), Ordinal: ordinal, Memory: perPod, Grace: -1}, identity: c.identities}
		}
	}
	if !healthy {
		return
	}
	for _, ordinal := range slices.Sorted(maps.Keys(c.pods)) {
		if p := c.pods[ordinal]; !p.Ready {
			p.Ready, p.ReadySince = true, c.now
			c.pods[ordinal] = p
			c.served[ordinal] = true
			return
		}
	}
}

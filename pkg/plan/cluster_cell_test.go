package plan_test

import "github.com/sk1-services/distributed-cache/pkg/plan"

// cellObject is the namespace of an isolated cache and its quota. What is in force follows what
// is written, since another controller brings it about.
type cellObject struct {
	identity      int
	going         bool
	hard, inForce plan.Quota
}

// closed reports whether nothing can be created where the cache's objects are.
func (c *cluster) closed() bool {
	return c.cache.isolated && (c.cell == nil || c.cell.going)
}

// writeFence brings the cell about, or brings the one that was read up to date.
func (c *cluster) writeFence(read *cellObject, f plan.Fence) bool {
	next := cellObject{}
	switch {
	case c.cell != nil && read != nil && read.identity != c.cell.identity, c.cell == nil && read != nil:
		return false
	case c.cell != nil:
		next = *c.cell
	case (c.cache.gone || !c.cache.deleted.IsZero()) && !c.late:
		c.breaks("nothing is created for a cache that is being deleted", "cell %+v", f.Quota)
	}
	if c.cell == nil {
		c.identities++
		next.identity = c.identities
		c.log("cell")
	}
	if next.hard != f.Quota {
		c.log("quota %+v", f.Quota)
		next.hard = f.Quota
	}
	c.cell = &next
	return !c.refuses
}

// raze deletes the very cell that was read, as it was read.
func (c *cluster) raze(read *cellObject) {
	if read == nil || read != c.cell {
		return
	}
	c.log("raze")
	if c.cache.deleted.IsZero() {
		c.breaks("only a deleted cache's cell is deleted", "%+v", *c.cell)
	}
	if c.ring != nil && len(c.ring.document.Members) > 0 && len(c.pods) > 0 {
		c.breaks("the cell goes only after an empty ring", "version %d", c.ring.document.Version)
	}
	for ordinal := range c.pods {
		if out := c.absent(ordinal); out < c.cache.grace {
			c.breaks("the cell goes only after the grace", "%d left %s ago", ordinal, out)
		}
	}
	c.destroy()
}

// destroy begins the deletion of the cell.
func (c *cluster) destroy() {
	next := *c.cell
	next.going = true
	c.cell = &next
}

// namespaces lets the controllers of namespaces and quotas act, and the operator's collection of
// cells whose cache is gone.
func (c *cluster) namespaces(healthy bool) {
	switch {
	case c.cell == nil || !healthy:
	case c.cache.gone && !c.cell.going:
		c.destroy()
	case c.cell.going && (c.set != nil || c.ring != nil || len(c.pods) > 0):
		c.log("the cell is emptied")
		c.set, c.ring, c.pods = nil, nil, map[int]podObject{}
		clear(c.member)
		clear(c.outSince)
	case c.cell.going:
		c.log("the cell is gone")
		c.cell = nil
	case c.cell.inForce != c.cell.hard:
		next := *c.cell
		next.inForce = next.hard
		c.cell = &next
	}
}

// admits reports whether the API server lets another pod in.
func (c *cluster) admits() bool {
	switch {
	case !c.cache.isolated:
		return true
	case c.closed():
		return false
	case c.cell.inForce == plan.Quota{}:
		c.breaks("no pod comes before the quota stands", "%+v", *c.cell)
	}
	n := len(c.pods) + 1
	return n <= c.cell.inForce.Pods && int64(n)*perPod <= c.cell.inForce.Memory
}

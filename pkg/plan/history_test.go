package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sk1-services/distributed-cache/pkg/plan"
)

// source draws the numbers of a history: rapid's, or a seeded one.
type source func(limit int, label string) int

// mishap is what may happen to a cluster and its operators between two passes.
func mishap(c *cluster, operators []*operator, draw source) {
	ordinal := draw(7, "pod")
	p, exists := c.pods[ordinal]
	change := func(edit func(*cacheObject)) {
		next := *c.cache
		edit(&next)
		next.generation++
		c.cache = &next
		c.log("cache wants %d, deleted %t", next.wanted, !next.deleted.IsZero())
	}
	switch draw(12, "mishap") {
	case 0:
		c.log("pod %d is gone", ordinal)
		delete(c.pods, ordinal)
	case 1:
		if exists {
			p.Ready = false
			c.pods[ordinal] = p
		}
	case 2:
		if exists {
			p.Terminating = true
			c.pods[ordinal] = p
		}
	case 3, 4, 5:
		if c.cache.deleted.IsZero() {
			change(func(o *cacheObject) { o.wanted = draw(7, "wanted") })
		}
	case 6:
		if c.cache.highWater >= c.lastVersion && c.cache.deleted.IsZero() {
			c.ring = nil
		}
	case 11:
		c.refuses = c.cache.isolated && draw(4, "refuses") > 0
	case 10:
		if c.cell != nil && c.cache.highWater >= c.lastVersion && draw(3, "destroy") == 0 {
			c.log("somebody deletes the cell")
			c.destroy()
		}
	case 7:
		c.now = c.now.Add(time.Duration(draw(30_000, "ms")) * time.Millisecond)
	case 8:
		o := operators[draw(len(operators), "operator")]
		o.behind = time.Duration(draw(20_000, "behind")) * time.Millisecond
	case 9:
		if draw(4, "delete") == 0 && c.cache.deleted.IsZero() && c.cache.held {
			change(func(o *cacheObject) { o.deleted = c.now.Truncate(time.Second) })
		}
	}
}

// history runs random events, then a quiet time, and gives the cluster with the laws it saw broken.
func history(draw source, make func(*cluster) []*operator) *cluster {
	grace := time.Duration(draw(4, "grace")) * 3 * time.Second
	c := newCluster(draw(7, "first wanted"), draw(3, "isolated") == 0, grace)
	operators := make(c)
	zombies(c, operators, draw)
	for _, o := range operators {
		o.see(seeAll)
	}
	for range 1 + draw(60, "events") {
		c.now = c.now.Add(time.Duration(draw(2_500, "pause ms")) * time.Millisecond)
		c.kubernetes(draw(3, "healthy") > 0)
		mishap(c, operators, draw)
		for range 1 + draw(3, "passes") {
			o := operators[draw(len(operators), "operator")]
			o.see(draw(seeAll+1, "see"))
			o.pass(draw(14, "cut"))
		}
	}
	if len(c.broken) == 0 {
		settle(c, operators[0])
	}
	return c
}

// zombies lets time, mishaps and the other operator come between the reads of a pass and its
// writes, as when a process is stopped past the end of its lease or a request is held on its way.
func zombies(c *cluster, operators []*operator, draw source) {
	held := false
	for i, o := range operators {
		other := operators[(i+1)%len(operators)]
		o.hold = func() bool {
			if held || draw(8, "held") > 0 {
				return false
			}
			held = true
			mishap(c, operators, draw)
			for range 2 {
				other.see(seeAll)
				other.pass(-1)
			}
			held = false
			return true
		}
	}
}

// settle lets one up-to-date operator work until nothing is left to do.
func settle(c *cluster, o *operator) {
	o.behind, o.hold, c.refuses = 0, nil, false
	for range 150 {
		c.kubernetes(true)
		for range 4 {
			o.see(seeAll)
			o.pass(-1)
		}
		c.now = c.now.Add(time.Second)
	}
	o.see(seeAll)
	p := o.pass(-1)
	switch {
	case !c.cache.deleted.IsZero():
		if !c.cache.gone || c.cell != nil {
			c.breaks("a deleted cache goes", "plan %+v, cell %+v", p, c.cell)
		}
		return
	case c.ring == nil || !slices.Equal(c.ring.document.Members, members(upTo(c.cache.wanted)...)):
		c.breaks("every history ends settled", "ring %+v, wanted %d, plan %+v", c.ring, c.cache.wanted, p)
	case c.set.replicas != c.cache.wanted || len(c.ring.ledger) > 0 || len(p.Marks) > 0 || p.Wake != 0:
		c.breaks("every history ends settled", "set %d, ledger %+v, plan %+v", c.set.replicas, c.ring.ledger, p)
	}
	if fair := fence(c.cache.wanted).Quota; c.cache.isolated && (c.cell == nil || c.cell.going || c.cell.inForce != fair) {
		c.breaks("the cell of a settled cache stands, under the quota that it needs", "%+v", c.cell)
	}
	for _, pod := range c.pods {
		if !pod.Marked.IsZero() {
			c.breaks("a mark goes with its reason", "%s", pod.Name)
		}
	}
}

func upTo(n int) []int {
	var list []int
	for i := range n {
		list = append(list, i)
	}
	return list
}

// two are two operators that both believe they lead.
func two(next func(plan.State, plan.Timing) plan.Plan, edit func(*operator)) func(*cluster) []*operator {
	return func(c *cluster) []*operator {
		var list []*operator
		for range 2 {
			o := &operator{cluster: c, next: next}
			if edit != nil {
				edit(o)
			}
			list = append(list, o)
		}
		return list
	}
}

// Whatever happens, and however stale what two operators see, every law holds over the whole
// history, and every history ends settled. -rapid.checks sets the number of histories.
func TestHistories(t *testing.T) {
	histories := 0
	defer func() { fmt.Printf("\nfigure plan.histories %d histories\n", histories) }()
	rapid.Check(t, func(t *rapid.T) {
		histories++
		draw := func(limit int, label string) int { return rapid.IntRange(0, limit-1).Draw(t, label) }
		if c := history(draw, two(plan.Next, nil)); len(c.broken) > 0 {
			t.Fatal(c.broken[0] + "\n" + strings.Join(c.story, "\n"))
		}
	})
}

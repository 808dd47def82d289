//go:build integration

package faults

import (
	"fmt"
	"testing"

	"github.com/sk1-services/distributed-cache/test/faults/proxy"
)

// blow is a place at which the operator is killed.
type blow struct {
	place
	late bool
	// chance says that the place is not one of every run.
	chance bool
}

func (b blow) String() string {
	when := "before"
	if b.late {
		when = "after"
	}
	return fmt.Sprintf("%s %s, turn %d", when, b.Site, b.turn)
}

// rule kills the operator at the place: either nothing of the write has left it, or the write
// stands and it never knew.
func (b blow) rule(o *operator) proxy.Rule {
	crash := func(proxy.Write) { o.crash() }
	rule := proxy.Rule{
		Match: func(w proxy.Write) bool { return w.Site == b.Site && w.Turn == b.turn },
		Times: 1, Before: crash, Drop: proxy.Early,
	}
	if b.late {
		rule.Before, rule.After, rule.Drop = nil, crash, proxy.Late
	}
	return rule
}

// attempts is how often a run that was void is made again before its site counts as missed.
const attempts = 3

// blows are two for each place of a reference, and one for a chance: it costs a run that may be
// void, and its like, another report, is among the places.
func blows(r reference) []blow {
	var list []blow
	for _, at := range r.places {
		list = append(list, blow{at, false, false}, blow{at, true, false})
	}
	for _, at := range r.chances {
		list = append(list, blow{at, true, true})
	}
	return list
}

// killEverywhere kills the operator before and after each write of the reference.
func (l *lab) killEverywhere(t *testing.T, w workload, r reference) {
	t.Helper()
	list := blows(r)
	row := row{workload: w.name, places: len(r.places), chances: len(r.chances)}
	tenants := l.prepare(t, w, len(list))
	for i, b := range list {
		t.Run(b.String(), func(t *testing.T) {
			c := tenants[i]
			for attempt := 1; !l.strike(t, w, c, r, b); attempt++ {
				row.void++
				switch {
				case b.chance:
					t.Skip("the write did not come, as in some undisturbed runs")
				case attempt == attempts:
					t.Fatalf("voided run: the write did not come in %d attempts\n%s", attempts, l.tell(c))
				}
				c = l.prepare(t, w, 1)[0]
			}
			row.runs++
		})
	}
	// An operator that was started again has had time by now to undo what it found.
	for _, c := range tenants {
		l.compare(t, c, r)
		l.judge(t, c)
	}
	l.tally.add(row)
}

// strike makes one run and reports whether the operator was killed in it.
func (l *lab) strike(t *testing.T, w workload, c tenant, r reference, b blow) bool {
	t.Helper()
	armed := l.proxy.Arm(c.Namespace, b.rule(l.operator))
	defer l.proxy.Disarm(armed)
	w.act(t, l, c)
	l.expect(t, c, r, armed)
	return armed.Hits() > 0
}

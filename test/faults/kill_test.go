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

// blows are two for each place of a reference, and one for a chance. Of a cell they are between
// any two writes, so after each: a crash before one is no other than that after the one before.
func blows(w workload, r reference) []blow {
	var list []blow
	for _, at := range r.places {
		for _, late := range w.moments() {
			list = append(list, blow{at, late})
		}
	}
	for _, at := range r.chances {
		list = append(list, blow{at, true})
	}
	return list
}

// killEverywhere kills the operator before and after each write of the reference. A run whose
// write did not come was an undisturbed one: it shows that the place is none of every run. Its
// site must still have been struck at another turn.
func (l *lab) killEverywhere(t *testing.T, w workload, r reference) {
	t.Helper()
	list := blows(w, r)
	row := row{workload: w.name, places: len(r.places), chances: len(r.chances)}
	tenants := l.prepare(t, w, len(list))
	struck := map[proxy.Site]map[bool]bool{}
	for i, b := range list {
		t.Run(b.String(), func(t *testing.T) {
			if !l.strike(t, w, tenants[i], r, b) {
				row.void++
				t.Skip("the write did not come, as in other undisturbed runs")
			}
			if struck[b.Site] == nil {
				struck[b.Site] = map[bool]bool{}
			}
			struck[b.Site][b.late] = true
			row.runs++
		})
	}
	for _, at := range r.places {
		for _, late := range w.moments() {
			if !struck[at.Site][late] {
				t.Errorf("void: the operator was never killed at %s", blow{at, late})
			}
		}
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

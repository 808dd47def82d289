//go:build integration

package faults

import (
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/sk1-services/distributed-cache/test/faults/proxy"
)

const (
	// slow bounds how late a write of one of two leaders is.
	slow = 300 * time.Millisecond
	// duels is how often each workload is done under two leaders.
	duels = 4
)

// hesitation is change with more time for it: two slow leaders take seconds to begin a drain, on a
// busy machine more than change's grace, and a drain that has ended cannot be seen to begin.
var hesitation = workload{name: "5 to 3 to 5, in no hurry", size: 5, grace: 30, act: change.act}

// duelled is what is done under two leaders.
var duelled = []workload{creation, growth, shrink, hesitation, removal}

// duel is one run under two leaders.
type duel struct {
	workload
	c            tenant
	ours, theirs *proxy.Armed
}

// twoLeaders lets a second operator act beside the first, both sure that they lead. Each write of
// each is late by a time of its own, so that they overtake each other at every place.
func (l *lab) twoLeaders(t *testing.T) {
	var list []*duel
	for _, w := range duelled {
		l.reference(t, w)
		for _, c := range l.prepare(t, w, duels) {
			list = append(list, &duel{workload: w, c: c})
		}
	}
	rival := l.another(t, "rival")
	NewWithT(t).Eventually(rival.Watches).Should(Equal(informers), "the rival does not watch")
	seed := seed(t)
	for i, d := range list {
		d.ours = l.proxy.Arm(d.c.Namespace, slowly(seed, 2*i))
		d.theirs = rival.Arm(d.c.Namespace, slowly(seed, 2*i+1))
		d.act(t, l, d.c)
	}
	rows := map[string]*row{}
	for _, d := range list {
		if rows[d.name] == nil {
			rows[d.name] = &row{workload: d.name + ", two leaders"}
		}
		t.Run(d.name, func(t *testing.T) {
			l.expect(t, d.c, l.reference(t, d.workload), d.ours)
			if d.ours.Hits() == 0 || d.theirs.Hits() == 0 {
				rows[d.name].void++
				t.Skip("only one of them wrote")
			}
			rows[d.name].runs++
		})
		for _, w := range l.writes(d.c) {
			if w.Code == http.StatusConflict {
				l.tally.conflicts++
			}
		}
	}
	for _, w := range duelled {
		if rows[w.name].runs == 0 {
			t.Errorf("void: %q was never done by both", w.name)
		}
		l.tally.add(*rows[w.name])
	}
	t.Run("a shrink arrives after a change of mind", func(t *testing.T) { l.outrun(t, rival) })
}

// outrun holds the shrink of one leader, past a change of mind that the other acts on: it must not
// come through after that.
func (l *lab) outrun(t *testing.T, rival *operator) {
	t.Helper()
	r, c := l.reference(t, change), l.prepare(t, change, 1)[0]
	sent, held := make(chan proxy.Write, 1), make(chan struct{})
	let := sync.OnceFunc(func() { close(held) })
	defer let()
	theirs := rival.Arm(c.Namespace, proxy.Rule{Match: shrinkWrite, Times: 1, Before: func(w proxy.Write) { sent <- w }, Hold: held})
	defer rival.Disarm(theirs)
	// The first leader loses every race for the shrink, and so lives to see the change of mind.
	ours := l.proxy.Arm(c.Namespace, proxy.Rule{Match: shrinkWrite, Code: http.StatusConflict})
	defer l.proxy.Disarm(ours)
	l.scale(t, c, 3)
	var shrink proxy.Write
	select {
	case shrink = <-sent:
	case <-time.After(time.Duration(change.grace)*time.Second + 15*time.Second):
		t.Fatalf("voided run: the shrink does not come\n%s", l.tell(c))
	}
	l.scale(t, c, 5)
	l.expectMembers(t, c, 5)
	let()
	code := func() int { return rival.Writes(c.Namespace)[shrink.Number-1].Code }
	NewWithT(t).Eventually(code).Should(Equal(http.StatusConflict), "the answer to the late shrink")
	l.expect(t, c, r, ours)
	l.tally.add(row{workload: "shrink outrun, two leaders", runs: 1})
}

// slowly lets each write come late.
func slowly(seed uint64, stream int) proxy.Rule {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, uint64(stream)))
	return proxy.Rule{Before: func(proxy.Write) {
		mu.Lock()
		late := time.Duration(random.Int64N(int64(slow)))
		mu.Unlock()
		time.Sleep(late)
	}}
}

// seed is that of all that is random in a test: FAULTS_SEED, 1 without it.
func seed(t *testing.T) uint64 {
	t.Helper()
	text := os.Getenv("FAULTS_SEED")
	if text == "" {
		return 1
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	check(t, err)
	return seed
}

//go:build integration

package faults

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/test/faults/proxy"
)

// shot is a run in which a write of a leader arrives long after it was sent.
type shot struct {
	workload
	what  string
	match func(proxy.Write) bool
	// soon says that it arrives as soon as the new leader has written at the same site, and not
	// when all is over.
	soon bool

	c      tenant
	armed  *proxy.Armed
	sent   chan proxy.Write
	number int
	loose  func()
}

func (s *shot) String() string {
	when := "in the end"
	if s.soon {
		when = "after the new leader's"
	}
	return fmt.Sprintf("%s, %s arrives %s", s.name, s.what, when)
}

func shots() []*shot {
	at := func(resource, subresource, part string) func(proxy.Write) bool {
		return func(w proxy.Write) bool {
			return w.Resource == resource && w.Subresource == subresource && bytes.Contains(w.Body, []byte(part))
		}
	}
	var list []*shot
	for _, soon := range []bool{false, true} {
		list = append(list,
			&shot{workload: shrink, what: "the ring", match: ringWrite, soon: soon},
			&shot{workload: shrink, what: "the shrink", match: shrinkWrite, soon: soon},
			&shot{workload: shrink, what: "the status", match: at("distributedcaches", "status", ""), soon: soon},
			&shot{workload: removal, what: "the empty ring", match: ringWrite, soon: soon},
			&shot{workload: removal, what: "the end of the finalizer", match: at("distributedcaches", "", ""), soon: soon},
			&shot{workload: removal, what: "the status", match: at("distributedcaches", "status", ""), soon: soon},
		)
	}
	// A mark may say the same again while its pod lives: in the end it is clear who changed what.
	return append(list, &shot{workload: shrink, what: "a mark", match: at("pods", "", v1alpha1.DrainingSinceAnnotation)})
}

// zombie is I5 and P5: a leader is stopped with a write on its way in each of many caches, another
// takes the lease and finishes the work, then the writes arrive, and then the old leader goes on.
func (l *lab) zombie(t *testing.T) {
	list := shots()
	for _, w := range []workload{shrink, removal} {
		l.reference(t, w)
		l.prepareShots(t, w, list)
	}
	// The operator of the other tests waits for no lease: it must not act beside those that do.
	l.operator.kill()
	t.Cleanup(l.operator.start)
	// Each write that is held holds one of the old leader's workers.
	old := l.another(t, "old leader", append(elected, "--concurrency", "20")...)
	first := l.awaitLeader(t, "")
	l.hold(t, old, list)
	old.freeze()
	young := l.another(t, "new leader", elected...)
	for _, s := range list {
		if s.soon {
			young.Arm(s.c.Namespace, proxy.Rule{Match: s.match, After: func(proxy.Write) { s.loose() }})
		}
	}
	l.awaitLeader(t, first)
	before := map[tenant]map[string]string{}
	for _, s := range list {
		l.expect(t, s.c, l.reference(t, s.workload), s.armed)
		before[s.c] = l.revisions(t, s.c)
		s.loose()
	}
	for _, s := range list {
		t.Run(s.String(), func(t *testing.T) { l.expectInVain(t, old, s) })
	}
	thawed := time.Now()
	if !old.thaw(renewal) || !strings.Contains(old.tail(), "leader election lost") {
		t.Errorf("the old leader does not end because it has lost its lease:\n%s", old.tail())
	}
	// Neither what was late nor what the old leader did until it ended has changed anything, and
	// it tried nothing: its lease was over.
	for _, s := range list {
		for _, w := range old.Writes(s.c.Namespace) {
			if w.At.After(thawed) {
				t.Errorf("S11 %s: the old leader goes on writing: %s", s, w)
			}
		}
		if diff := cmp.Diff(before[s.c], l.revisions(t, s.c)); diff != "" {
			t.Errorf("S11 %s: the old leader changed something, -before +after:\n%s\n%s", s, diff, l.tell(s.c))
		}
		l.compare(t, s.c, l.reference(t, s.workload))
		l.judge(t, s.c)
	}
	l.tally.add(row{workload: "I5 zombie leader", runs: len(list)})
}

func (l *lab) prepareShots(t *testing.T, w workload, list []*shot) {
	t.Helper()
	var these []*shot
	for _, s := range list {
		if s.name == w.name {
			these = append(these, s)
		}
	}
	for i, c := range l.prepare(t, w, len(these)) {
		these[i].c = c
	}
}

// hold makes an operator send the writes of all runs and lets none of them arrive.
func (l *lab) hold(t *testing.T, o *operator, list []*shot) {
	t.Helper()
	for _, s := range list {
		held := make(chan struct{})
		s.sent, s.loose = make(chan proxy.Write, 1), sync.OnceFunc(func() { close(held) })
		t.Cleanup(s.loose)
		s.armed = o.Arm(s.c.Namespace, proxy.Rule{Match: s.match, Times: 1, Before: func(w proxy.Write) { s.sent <- w }, Hold: held})
		s.act(t, l, s.c)
	}
	const within = 20 * time.Second
	late := time.After(within)
	for _, s := range list {
		select {
		case w := <-s.sent:
			s.number = w.Number
		case <-late:
			t.Fatalf("voided run: %s: the write does not come\n%s", s, l.tell(s.c))
		}
	}
}

// expectInVain waits for the answer to a late write. While the new leader is at work a change by
// the old one could not be told from its own, so the write must have been refused.
func (l *lab) expectInVain(t *testing.T, old *operator, s *shot) {
	t.Helper()
	var late proxy.Write
	NewWithT(t).Eventually(func() int {
		late = old.Writes(s.c.Namespace)[s.number-1]
		return late.Code
	}).ShouldNot(BeZero(), "voided run: the late write does not arrive")
	t.Log(late)
	if late.Code >= http.StatusBadRequest {
		l.tally.late++
	} else if s.soon {
		t.Errorf("S11 %s\n%s", late, l.tell(s.c))
	}
}

//go:build integration

package history

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

const (
	// slack is how much later than another the observer may have seen an event: two watches are
	// compared, and the one may lag behind the other.
	slack = 50 * time.Millisecond
	// recently is how long ago a pod may have stopped serving that a ring still takes in.
	recently = time.Second
)

// seeRing is S1, versions, and S2, members. A ring that was deleted, or that somebody else wrote,
// is replaced under a higher version also where the members stay.
func (p *past) seeRing(m *corev1.ConfigMap, e Event) {
	text, owner := m.Data[v1alpha1.RingKey], m.Data[v1alpha1.OwnerUIDKey]
	last, known := p.published[owner]
	switch {
	case e.Gone:
		p.lost = true
	case known && text == last.text:
		p.lost = false
	case e.foreign():
		p.meddled(text, owner)
	default:
		p.publish(text, owner)
	}
}

func (p *past) publish(text, owner string) {
	document, err := ring.Decode([]byte(text))
	if err != nil {
		p.breaks("S2 the ring %q: %v", text, err)
		return
	}
	if canonical, err := document.Encode(); err != nil || string(canonical) != text {
		p.breaks("S2 the ring %q is not in its one spelling", text)
	}
	last, known := p.published[owner]
	same := slices.Equal(document.Members, p.ring.Members)
	switch {
	case !known:
		p.ring, p.left = ring.Document{}, map[int]time.Time{}
	case document.Version < last.version:
		p.breaks("S1 the version falls from %d to %d", last.version, document.Version)
	case document.Version == last.version:
		p.breaks("S1 version %d is %q and then %q", last.version, last.text, text)
	case same && !p.lost && !p.foreign:
		p.breaks("S1 version %d follows %d without a change", document.Version, last.version)
	}
	p.published[owner] = edition{document.Version, text}
	p.lost, p.foreign = false, false
	p.leave(document)
	p.join(document)
	p.ring = document
}

// meddled notes a ring that somebody else wrote: clients see it, so later versions must be higher
// than its own, and who is not in it has left.
func (p *past) meddled(text, owner string) {
	last := p.published[owner]
	document, err := ring.Decode([]byte(text))
	if err == nil {
		p.leave(document)
		p.ring = document
	}
	p.published[owner] = edition{max(document.Version, last.version), text}
	p.lost, p.foreign = false, true
}

// leave notes who left.
func (p *past) leave(document ring.Document) {
	for _, member := range p.ring.Members {
		if ordinal, err := ring.Ordinal(member); err == nil && !slices.Contains(document.Members, member) {
			p.left[ordinal] = p.now
		}
	}
}

// join checks who joins.
func (p *past) join(document ring.Document) {
	for _, member := range document.Members {
		ordinal, err := ring.Ordinal(member)
		if err != nil || slices.Contains(p.ring.Members, member) {
			continue
		}
		delete(p.left, ordinal)
		if pod := p.pods[member]; !pod.serving && p.now.Sub(pod.served) > recently {
			p.breaks("S2 %s joins and does not serve", member)
		}
		if ordinal >= p.wanted || p.deleting() {
			p.breaks("S3 %s joins and is not wanted", member)
		}
	}
}

// marked is S3: the mark is a copy of what the ring says and never ahead of it.
func (p *past) marked(name string) {
	if slices.Contains(p.ring.Members, name) && !p.ringFollows(name) {
		p.breaks("S3 %s is marked and in ring %d", name, p.ring.Version)
	}
}

// ringFollows reports whether a mark is left from a drain that a later ring has cancelled: the
// ring comes first there, too.
func (p *past) ringFollows(name string) bool {
	ordinal, err := ring.Ordinal(name)
	return err == nil && ordinal < p.wanted && !p.deleting()
}

// resized is S4, the grace, and S5, the size, for a StatefulSet that was larger.
func (p *past) resized(was int) {
	// The pods of a cell go before their namespace does.
	dissolved := p.isolated && p.deleting() && p.replicas == 0
	if p.replicas < p.wanted && !dissolved {
		p.breaks("S5 %d replicas, and %d are wanted", p.replicas, p.wanted)
	}
	if p.deleting() && p.replicas < was && !dissolved {
		p.breaks("S5 from %d to %d replicas, and the cache is being deleted", was, p.replicas)
	}
	for ordinal := p.replicas; ordinal < was; ordinal++ {
		p.drained("S4 a shrink", ordinal)
	}
}

// released is S7: the finalizer goes when nobody is in the ring any more, unless there is nobody
// to drain or all is to serve on. Where the ring's object is gone nothing can be published, and
// clients are given the grace from the deletion on.
func (p *past) released() {
	if p.isolated && p.fence["Namespace"] {
		p.breaks("S7 the finalizer goes before the cell")
	}
	if p.orphaned || p.empty() {
		return
	}
	if p.lost {
		if since := p.now.Sub(p.deleted); since < p.grace-slack {
			p.breaks("S7 the finalizer goes %s after the deletion, without a ring, with a grace of %s", since, p.grace)
		}
		return
	}
	if len(p.ring.Members) > 0 {
		p.breaks("S7 the finalizer goes with %v in ring %d", p.ring.Members, p.ring.Version)
	}
	for ordinal := range max(p.replicas, 0) {
		p.drained("S7 the end", ordinal)
	}
}

func (p *past) drained(what string, ordinal int) {
	for _, member := range p.ring.Members {
		if in, err := ring.Ordinal(member); err == nil && in == ordinal {
			p.breaks("%s takes ordinal %d, which is in ring %d", what, ordinal, p.ring.Version)
		}
	}
	left, known := p.left[ordinal]
	if since := p.now.Sub(left); known && since < p.grace-slack {
		p.breaks("%s takes ordinal %d, which left %s ago, with a grace of %s", what, ordinal, since, p.grace)
	}
}

// fenced is S9: what fences a cell stood before its first pod.
func (p *past) fenced(name string) {
	for _, kind := range []string{"Namespace", "NetworkPolicy", "ResourceQuota"} {
		if p.isolated && !p.fence[kind] {
			p.breaks("S9 pod %s comes before the cell's %s", name, kind)
		}
	}
}

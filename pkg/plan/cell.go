package plan

import "time"

// Cell is what matters of the namespace of an isolated cache.
type Cell struct {
	// Standing says that the namespace exists and was made for this cache, Foreign that the name
	// is somebody else's.
	Standing bool
	Foreign  bool
	// Going says that the cache's namespace is being deleted.
	Going bool
	// Memory is the wanted memory of a pod, in bytes.
	Memory int64
	// InForce is what the quota lets in today, zero before its controller has seen it.
	InForce Quota
	// Readers are the namespaces that may read the ring.
	Readers []string
}

// Quota is what a cell may hold.
type Quota struct {
	Pods int
	// Memory is in bytes, of requests and of limits.
	Memory int64
}

// Fence is what stands around an isolated cache before its first pod.
type Fence struct {
	Quota   Quota
	Readers []string
}

// quota lets in what is wanted and what exists, each at its largest: else pods that drain, or
// are yet to be replaced, would use up what their successors need. A quarter of the memory and one
// pod are to spare.
func (s State) quota() Quota {
	pods, memory := max(s.Wanted, s.running()), s.Cell.Memory
	for _, p := range s.Pods {
		pods, memory = max(pods, p.Ordinal+1), max(memory, p.Memory)
	}
	return Quota{Pods: pods + 1, Memory: int64(pods) * memory * 5 / 4}
}

// fenced reports whether pods may be made: the cell stands, and the quota in force covers them.
func (s State) fenced() bool {
	if s.Cell == nil {
		return true
	}
	want := s.quota()
	return s.Cell.Standing && s.Cell.InForce.Pods >= want.Pods && s.Cell.InForce.Memory >= want.Memory
}

// holdBack keeps pods from being made or replaced that the quota in force might refuse. A
// StatefulSet that stands is written all the same: it is stamped with what the cache wants now, so
// that who planned on an older wish cannot shrink it.
func (p *Plan) holdBack(s State) {
	if s.fenced() || s.Set == nil {
		return
	}
	p.Workload, p.Replicas, p.Partition = true, min(p.Replicas, s.Set.Replicas), GateClosed
}

// fence is what is to stand, nil for a cache that is not isolated.
func (s State) fence() *Fence {
	if s.Cell == nil {
		return nil
	}
	return &Fence{Quota: s.quota(), Readers: s.Cell.Readers}
}

func refuse(s State, _ Timing) (Plan, bool) {
	return Plan{Step: StepRefuse}, s.Cell != nil && s.Cell.Foreign
}

// rebuild waits until the cell that somebody deleted is gone: nothing can be created in it, and
// what is in it goes with it.
func rebuild(s State, _ Timing) (Plan, bool) {
	return Plan{Step: StepRebuild}, s.Cell != nil && s.Cell.Going
}

// dissolve takes the cell of a deleted cache away, once its pods have had their grace. The pods go
// first: the namespace's controller looks only seldom whether they are gone. One that does not end
// in its time is left to the namespace.
func dissolve(s State, _ Timing) (Plan, bool) {
	if !s.deleting() || s.Cell == nil || !s.Cell.Standing || !s.spent() {
		return Plan{}, false
	}
	p := Plan{Step: StepDissolve}
	switch pending := s.ending(); {
	case s.Cell.Going:
	case s.Set != nil && s.Set.Replicas > 0:
		p.Empty, p.Partition, p.Confirm = true, GateClosed, true
	case pending > 0:
		p.Wake = pending
	default:
		p.Raze, p.Confirm = true, true
	}
	return p, true
}

// ending is how long pods of a StatefulSet of no size still have, 0 if none is left in its time.
func (s State) ending() time.Duration {
	var left time.Duration
	for _, p := range s.Pods {
		switch {
		case p.Terminating:
			left = max(left, p.Ends.Sub(s.Now))
		case s.Set != nil:
			left = max(left, pace)
		}
	}
	return left
}

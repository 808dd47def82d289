package plan

import (
	"slices"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// State is what the machine looks at.
type State struct {
	// Now is the API server's time, as far as it is known to have come: never later.
	Now    time.Time
	Wanted int
	Grace  time.Duration
	// Deleted is when the cache was deleted, zero if it was not.
	Deleted time.Time
	// Held says that our finalizer is on the cache, Orphaned that its objects are to outlive it.
	Held     bool
	Orphaned bool
	Paused   bool
	// Cell is the cache's own namespace, nil if it is not isolated.
	Cell *Cell
	// HighWater is the highest ring version recorded for this cache, 0 before the first.
	HighWater int64
	// Ring is the published ring of this cache, nil if there is none or it is not canonical.
	Ring *ring.Document
	// Ledger stands beside the published ring.
	Ledger Ledger
	// Set is the StatefulSet, nil if there is none.
	Set  *Set
	Pods []Pod
}

// Set is what matters of a StatefulSet.
type Set struct {
	Created  time.Time
	Replicas int
	// Rolling says that pods of an older template are still to be replaced.
	Rolling bool
}

// Pod is what matters of a cache pod.
type Pod struct {
	Name        string
	Ordinal     int
	Ready       bool
	ReadySince  time.Time
	Terminating bool
	// Ends is when the time of a terminating pod is up.
	Ends time.Time
	// Memory is what the pod may use at most, in bytes.
	Memory int64
	// Marked is the pod's visible copy of the ledger, zero without one; Grace is the one it was
	// told of, negative if it was told of none.
	Marked time.Time
	Grace  time.Duration
}

// Serving reports whether the pod may be a member of the ring.
func (p Pod) Serving() bool { return p.Ready && !p.Terminating }

// limit is the number of ordinals that may be members.
func (s State) limit() int {
	if s.deleting() {
		return 0
	}
	return s.Wanted
}

func (s State) deleting() bool { return !s.Deleted.IsZero() }

// running is the number of ordinals that the StatefulSet keeps a pod for. Where it is gone, for
// example because somebody deleted it and left its pods behind, the pods that live on count.
func (s State) running() int {
	if s.Set != nil {
		return s.Set.Replicas
	}
	running := 0
	for _, p := range s.Pods {
		if !p.Terminating {
			running = max(running, p.Ordinal+1)
		}
	}
	return running
}

// serving are the pods that may be members, by name.
func (s State) serving() map[string]Pod {
	pods := map[string]Pod{}
	for _, p := range s.Pods {
		if p.Serving() && p.Ordinal < s.limit() {
			pods[p.Name] = p
		}
	}
	return pods
}

// inRing reports whether the stored ring holds a member of the ordinal.
func (s State) inRing(ordinal int) bool {
	return s.Ring != nil && holds(s.Ring.Members, ordinal)
}

func holds(members []string, ordinal int) bool {
	return slices.ContainsFunc(members, func(name string) bool {
		n, err := ring.Ordinal(name)
		return err == nil && n == ordinal
	})
}

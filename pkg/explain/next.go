package explain

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// next is the state machine's next step, nil if it could not be asked.
func (v *view) next() *Next {
	if !v.complete {
		return nil
	}
	n := &Next{Step: v.plan.Step}
	if clause, known := clauses[n.Step]; known {
		n.Meaning = clause(v)
	}
	if v.plan.Wake > 0 {
		in := seconds(v.plan.Wake)
		n.InSeconds = &in
	}
	first, last := "", ""
	if v.plan.Claim {
		first = "the operator puts its finalizer on the cache first"
	}
	if v.rolling() && n.Step != plan.StepSettle && v.plan.Partition == plan.GateOpen {
		last = "the StatefulSet is replacing its pods, one at a time"
	}
	n.Meaning = sentences(first, n.Meaning, last)
	return n
}

// clauses say what each step means.
var clauses = map[plan.Step]func(*view) string{
	plan.StepDelete: func(*view) string {
		return "Kubernetes removes what is left of the cache; the operator does not hold it any more"
	},
	plan.StepRetire: (*view).retiring,
	plan.StepRelease: func(*view) string {
		return "the operator takes its finalizer off, and Kubernetes removes the cache with its objects"
	},
	plan.StepDissolve: (*view).dissolving,
	plan.StepPause:    func(*view) string { return "the operator changes nothing until spec.paused is false" },
	plan.StepRefuse: func(v *view) string {
		return fmt.Sprintf("the operator changes nothing until the name of namespace %s is free", v.cache.Home())
	},
	plan.StepRebuild: func(v *view) string {
		return fmt.Sprintf("the operator waits until namespace %s, which somebody deleted, is gone, and makes it anew", v.cache.Home())
	},
	plan.StepFence: (*view).fencing,
	plan.StepRecord: func(v *view) string {
		return fmt.Sprintf("the operator records ring version %d in the status before it publishes another", v.document.Version)
	},
	plan.StepBootstrap: (*view).bootstrapping,
	plan.StepPublish:   (*view).publishing,
	plan.StepShrink: func(v *view) string {
		return fmt.Sprintf("the operator shrinks the StatefulSet from %d to %d pods, since those above have had their grace", v.state.Set.Replicas, v.plan.Replicas)
	},
	plan.StepDrain: (*view).waitingForDrains,
	plan.StepJoin: func(v *view) string {
		return fmt.Sprintf("the operator takes %s into the ring in %s", names(v.newcomers()), span(v.plan.Wake))
	},
	plan.StepGrow:   func(v *view) string { return "the operator waits until " + v.waitingFor() },
	plan.StepSettle: (*view).settled,
}

func (v *view) retiring() string {
	switch {
	case v.document != nil && len(v.document.Members) > 0:
		return fmt.Sprintf("the operator publishes an empty ring, and the pods serve on for the grace of %s", span(v.state.Grace))
	case v.plan.Wake > 0:
		then := "lets the cache go"
		if v.state.Cell != nil && v.state.Cell.Standing {
			then = "deletes namespace " + v.cache.Home()
		}
		return fmt.Sprintf("the operator waits for the grace of the pods that left the ring, %s more, and %s", span(v.lastDrain()), then)
	default:
		return "the operator notes which pods have left the ring"
	}
}

func (v *view) dissolving() string {
	switch cell := v.cache.Home(); {
	case v.plan.Raze:
		return fmt.Sprintf("the operator deletes namespace %s", cell)
	case v.plan.Empty:
		return "the operator ends the pods, which have had their grace"
	case v.plan.Wake > 0:
		return fmt.Sprintf("the operator waits until the pods have ended, and deletes namespace %s", cell)
	default:
		return fmt.Sprintf("the operator waits until namespace %s is gone, and lets the cache go", cell)
	}
}

func (v *view) fencing() string {
	want, now := v.plan.Fence.Quota, v.state.Cell.InForce
	text := fmt.Sprintf("the operator waits until the quota of namespace %s is in force for %d pods and %s of memory", v.cache.Home(), want.Pods, memory(want.Memory))
	if now == (plan.Quota{}) {
		return text + "; none is in force yet"
	}
	return text + fmt.Sprintf("; in force are %d pods and %s", now.Pods, memory(now.Memory))
}

func memory(n int64) string { return resource.NewQuantity(n, resource.BinarySI).String() }

func (v *view) bootstrapping() string {
	switch {
	case v.plan.Fence != nil && !v.plan.Workload:
		return v.fencing()
	case v.state.Set == nil:
		return "the operator makes the Service and the StatefulSet"
	case v.plan.Wake > 0:
		return fmt.Sprintf("the operator publishes the first ring when %s, and in %s without those that are not", v.waitingFor(), span(v.plan.Wake))
	default:
		return fmt.Sprintf("the operator waits until %s, to publish a ring", v.waitingFor())
	}
}

func (v *view) publishing() string {
	in, out := v.changes()
	var parts []string
	if len(in) > 0 {
		parts = append(parts, "takes in "+names(in))
	}
	if len(out) > 0 {
		parts = append(parts, "takes out "+names(out))
	}
	switch version := v.plan.Ring.Version; {
	case v.document != nil && version == v.document.Version:
		return "the operator brings its ledger of drains up to date"
	case len(parts) == 0:
		return fmt.Sprintf("the operator publishes ring version %d", version)
	default:
		return fmt.Sprintf("the operator publishes ring version %d, which %s", version, strings.Join(parts, " and "))
	}
}

// changes are the members that the planned ring takes in and out.
func (v *view) changes() (in, out []string) {
	var before ring.Document
	if v.document != nil {
		before = *v.document
	}
	for _, name := range v.plan.Ring.Members {
		if !slices.Contains(before.Members, name) {
			in = append(in, name)
		}
	}
	for _, name := range before.Members {
		if !slices.Contains(v.plan.Ring.Members, name) {
			out = append(out, name)
		}
	}
	return in, out
}

func (v *view) waitingForDrains() string {
	var still []string
	for _, d := range v.state.Ledger {
		still = append(still, v1alpha1.PodName(v.cache.Name, d.Ordinal))
	}
	switch {
	case len(still) == 0:
		return "the operator waits until another pod serves, to take those out that are not wanted"
	case v.plan.Wake == 0:
		return "the operator waits for the grace of " + names(still)
	default:
		return fmt.Sprintf("the operator waits for the grace of %s, %s more, and then shrinks the StatefulSet", names(still), span(v.plan.Wake))
	}
}

func (v *view) settled() string {
	if v.rolling() && v.plan.Partition == plan.GateClosed {
		return "the operator lets the StatefulSet replace its pods when all but one member are available"
	}
	if v.rolling() {
		return "the StatefulSet replaces its pods, one at a time"
	}
	return "nothing: all is as wanted"
}

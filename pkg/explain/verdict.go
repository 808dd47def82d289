package explain

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
)

// Verdict sums an explanation up in a word.
type Verdict string

// The verdicts, from good to bad. Deleting and Paused go before the others: they are what somebody
// wants.
const (
	// Healthy: all is as wanted.
	Healthy Verdict = "healthy"
	// Progressing: the operator or Kubernetes is on the way, and nothing is wrong.
	Progressing Verdict = "progressing"
	// Paused: spec.paused is true, and nobody vouches for the cache.
	Paused Verdict = "paused"
	// Deleting: the cache is being deleted.
	Deleting Verdict = "deleting"
	// Degraded: the cache serves, and something is wrong.
	Degraded Verdict = "degraded"
	// Unavailable: clients cannot route, or fewer than half of the wanted pods serve.
	Unavailable Verdict = "unavailable"
	// Unknown: too little could be read.
	Unknown Verdict = "unknown"
)

// ExitCode is the verdict for scripts: 0 if healthy, and from 3 on in the order of the verdicts. 1
// and 2 are left to a program's own failures.
func (v Verdict) ExitCode() int {
	switch v {
	case Healthy:
		return 0
	case Progressing:
		return 3
	case Paused:
		return 4
	case Deleting:
		return 5
	case Degraded:
		return 6
	case Unavailable:
		return 7
	default:
		return 8
	}
}

// verdict is the verdict with its summary.
func (v *view) verdict(e *Explanation) (Verdict, string) {
	trouble := v.trouble(e)
	verdict := v.judge(e, trouble)
	next := ""
	if e.Next != nil {
		next = e.Next.Meaning
	}
	if why, silent := v.silence(); silent {
		next = why
	}
	switch verdict {
	case Healthy:
		return verdict, sentences(v.serves(e), "nothing is wrong, and nothing is under way"+v.unless())
	case Degraded, Unavailable:
		if trouble == "" {
			trouble = next
		}
		return verdict, sentences(v.serves(e), trouble)
	case Unknown:
		return verdict, sentences("How the cache is cannot be told: "+v.gaps(), trouble)
	default:
		return verdict, sentences(v.serves(e), next)
	}
}

func (v *view) judge(e *Explanation, trouble string) Verdict {
	switch {
	case v.deleting():
		return Deleting
	case v.cache.Spec.Paused:
		return Paused
	case !v.complete:
		return v.told(e)
	case v.dark(e, trouble):
		return Unavailable
	case trouble != "":
		return Degraded
	case v.underway(e):
		return Progressing
	default:
		return Healthy
	}
}

// dark reports whether clients cannot be served, by the same measure as the condition Available. A
// cache without a ring is only on its way as long as nothing is wrong.
func (v *view) dark(e *Explanation, trouble string) bool {
	switch {
	case v.plan.Step == plan.StepRefuse:
		return true
	case v.document == nil:
		return trouble != "" || v.cache.Status.RingVersion > 0
	default:
		return e.Replicas.Wanted > 0 && (e.Replicas.Serving == 0 || 2*e.Replicas.Serving < e.Replicas.Wanted)
	}
}

func (v *view) underway(e *Explanation) bool {
	if v.plan.Step != plan.StepSettle || v.plan.Claim || v.rolling() || v.cache.Status.ObservedGeneration < v.cache.Generation {
		return true
	}
	c := e.condition(v1alpha1.Progressing)
	return c == nil || c.Status != metav1.ConditionFalse
}

func (v *view) rolling() bool { return v.state.Set != nil && v.state.Set.Rolling }

// told is what the operator's conditions say, where the objects themselves could not be read.
func (v *view) told(e *Explanation) Verdict {
	is := func(kind string, status metav1.ConditionStatus) bool {
		c := e.condition(kind)
		return c != nil && c.Status == status
	}
	_, silent := v.silence()
	switch {
	case silent || v.cache.Status.ObservedGeneration < v.cache.Generation:
		return Unknown
	case is(v1alpha1.Ready, metav1.ConditionTrue):
		return Healthy
	case is(v1alpha1.Available, metav1.ConditionFalse) && e.condition(v1alpha1.Available).Reason != v1alpha1.ReasonScaledToZero:
		return Unavailable
	case is(v1alpha1.Degraded, metav1.ConditionTrue):
		return Degraded
	case is(v1alpha1.Progressing, metav1.ConditionTrue):
		return Progressing
	default:
		return Unknown
	}
}

// trouble is what is wrong, the operator's own word first; empty if nothing is.
func (v *view) trouble(e *Explanation) string {
	if why, silent := v.silence(); silent {
		return why
	}
	if c := e.condition(v1alpha1.Degraded); c != nil && c.Status == metav1.ConditionTrue && !c.Outdated {
		return c.Message
	}
	if v.World.Refusal != "" {
		return "pods are refused: " + v.World.Refusal
	}
	for i := range v.World.Pods {
		if t := readiness.TroubleOf(&v.World.Pods[i], v.now); t != nil {
			return t.String()
		}
	}
	if v.complete && v.plan.Step == plan.StepRefuse {
		return v.clash()
	}
	return ""
}

// serves says how the cache serves.
func (v *view) serves(e *Explanation) string {
	r := e.Replicas
	switch {
	case !v.complete:
		if c := e.condition(v1alpha1.Available); c != nil {
			return "The operator says: " + c.Message
		}
		return "The operator has said nothing yet"
	case v.deleting():
		return fmt.Sprintf("It was deleted %s ago; %s", age(v.now, v.cache.DeletionTimestamp.Time), count(r.Ready, "pod still serves", "pods still serve"))
	case v.document == nil && v.cache.Status.RingVersion == 0:
		return fmt.Sprintf("No ring has been published yet: %d of %d pods are Ready", r.Ready, r.Wanted)
	case v.document == nil:
		return fmt.Sprintf("There is no valid ring: %d of %d pods are Ready, and clients keep the last ring that they saw", r.Ready, r.Wanted)
	case r.Wanted == 0:
		return "spec.replicas is 0: nobody is served, as wanted"
	default:
		return fmt.Sprintf("%d of %d wanted pods serve in ring version %d", r.Serving, r.Wanted, v.document.Version)
	}
}

// unless limits a verdict that is only what the operator says.
func (v *view) unless() string {
	if v.complete {
		return ""
	}
	return ", as far as it says; " + v.gaps()
}

// gaps names what could not be read.
func (v *view) gaps() string {
	if len(v.Unread) == 0 {
		return "the operator has said nothing"
	}
	var kinds []string
	for _, u := range v.Unread {
		kinds = append(kinds, u.Kind)
	}
	return "these could not be read: " + strings.Join(kinds, ", ")
}

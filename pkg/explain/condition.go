package explain

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// conditions are the cache's conditions in the order of the documentation.
func (v *view) conditions() []Condition {
	var list []Condition
	for _, kind := range v1alpha1.ConditionTypes {
		c := meta.FindStatusCondition(v.cache.Status.Conditions, kind)
		if c == nil {
			continue
		}
		said := Condition{
			Type: c.Type, Status: c.Status, Reason: c.Reason, Message: c.Message, Since: c.LastTransitionTime,
			Outdated: c.ObservedGeneration < v.cache.Generation,
		}
		said.Meaning, said.Action = meaning(c.Type, c.Status, c.Reason)
		list = append(list, said)
	}
	return list
}

func (e *Explanation) condition(kind string) *Condition {
	i := slices.IndexFunc(e.Conditions, func(c Condition) bool { return c.Type == kind })
	if i < 0 {
		return nil
	}
	return &e.Conditions[i]
}

// saysDegraded reports whether the condition Degraded says so for the reason, with what to do.
func (e *Explanation) saysDegraded(reason string) bool {
	c := e.condition(v1alpha1.Degraded)
	return c != nil && c.Status == metav1.ConditionTrue && c.Reason == reason && !c.Outdated
}

// meaning looks a condition up in the documentation. Those that sum up others have their reasons,
// and mean what these mean; and some lines say that what another says is to be done.
func meaning(kind string, status metav1.ConditionStatus, reason string) (said, action string) {
	m, ok := lookUp(func(m v1alpha1.Meaning) bool { return m.Type == kind && m.Status == status && m.Reason == reason })
	for _, other := range []string{v1alpha1.Degraded, v1alpha1.Progressing, v1alpha1.Available, v1alpha1.TenantIsolated} {
		if ok {
			break
		}
		m, ok = lookUp(func(m v1alpha1.Meaning) bool { return m.Type == other && m.Reason == reason })
	}
	action = m.Action
	if other, refers := strings.CutPrefix(action, "As for "); refers {
		other = strings.TrimSuffix(other, ".")
		as, _ := lookUp(func(m v1alpha1.Meaning) bool { return m.Type == other && m.Reason == reason })
		action = as.Action
	}
	if action == "Nothing." {
		action = ""
	}
	return m.Meaning, action
}

func lookUp(is func(v1alpha1.Meaning) bool) (v1alpha1.Meaning, bool) {
	i := slices.IndexFunc(v1alpha1.Meanings, is)
	if i < 0 {
		return v1alpha1.Meaning{}, false
	}
	return v1alpha1.Meanings[i], true
}

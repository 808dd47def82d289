package explain

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// notable reports whether a condition says something that is not as it should be.
func notable(c Condition) bool {
	switch c.Type {
	case v1alpha1.Ready, v1alpha1.Reconciling, v1alpha1.Stalled:
		return false
	case v1alpha1.Available:
		return c.Status != metav1.ConditionTrue
	case v1alpha1.TenantIsolated:
		return c.Status != metav1.ConditionTrue && c.Reason != v1alpha1.ReasonNotRequested
	default:
		return c.Status != metav1.ConditionFalse || c.Reason == v1alpha1.ReasonPaused
	}
}

// conditionList has a line of all, and one of what is notable of them, with what to do.
func (t *text) conditionList() {
	if len(t.Conditions) == 0 {
		return
	}
	var all []string
	for _, c := range t.Conditions {
		all = append(all, fmt.Sprintf("%s=%s", c.Type, c.Status))
	}
	t.line("\nConditions: %s", strings.Join(all, " "))
	said := map[string]bool{}
	for _, c := range t.Conditions {
		if key := c.Reason + c.Message; notable(c) && !said[key] {
			said[key] = true
			t.conditionLine(c)
		}
	}
}

// conditionLine speaks of all the conditions that say the same.
func (t *text) conditionLine(c Condition) {
	var kinds []string
	for _, same := range t.Conditions {
		if notable(same) && same.Reason == c.Reason && same.Message == c.Message {
			kinds = append(kinds, fmt.Sprintf("%s=%s", same.Type, same.Status))
		}
	}
	outdated := ""
	if c.Outdated {
		outdated = ", of an earlier generation"
	}
	t.line("  %s: %s, for %s%s: %s", strings.Join(kinds, ", "), c.Reason, age(t.AsOf.Time, c.Since.Time), outdated, oneLine(c.Message))
	if c.Action != "" && !strings.HasPrefix(c.Action, "Wait") {
		t.line("    %s", c.Action)
	}
}

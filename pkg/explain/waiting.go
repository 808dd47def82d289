package explain

import (
	"fmt"
	"time"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// newcomers are the Ready, wanted pods that are not in the ring.
func (v *view) newcomers() []string {
	var list []string
	for _, p := range v.state.Pods {
		if p.Serving() && p.Ordinal < v.limit() && !v.member(p.Name) {
			list = append(list, p.Name)
		}
	}
	return list
}

// waitingFor names the wanted pods that do not serve.
func (v *view) waitingFor() string {
	serving := map[int]bool{}
	for _, p := range v.state.Pods {
		serving[p.Ordinal] = serving[p.Ordinal] || p.Serving()
	}
	var list []string
	for ordinal := range v.limit() {
		if !serving[ordinal] {
			list = append(list, v1alpha1.PodName(v.cache.Name, ordinal))
		}
	}
	verb := "are"
	if len(list) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%s %s Ready", names(list), verb)
}

// lastDrain is how long the last drain still takes.
func (v *view) lastDrain() time.Duration {
	left := v.plan.Wake
	for _, d := range v.state.Ledger {
		left = max(left, v.until(d).Sub(v.now))
	}
	return left
}

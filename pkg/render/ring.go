package render

import (
	"fmt"

	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/templates"
)

func ringMap(cache *v1alpha1.DistributedCache, p plan.Plan) (*corev1ac.ConfigMapApplyConfiguration, error) {
	if p.Ring == nil {
		return nil, nil //nolint:nilnil // no ring yet is a plan, not an error
	}
	document, err := p.Ring.Encode()
	if err != nil {
		return nil, fmt.Errorf("ring of %s/%s: %w", cache.Namespace, cache.Name, err)
	}
	ledger, err := p.Ledger.Encode()
	if err != nil {
		return nil, fmt.Errorf("drain ledger of %s/%s: %w", cache.Namespace, cache.Name, err)
	}
	object, err := decode[corev1ac.ConfigMapApplyConfiguration](templates.Ring)
	if err != nil {
		return nil, err
	}
	object.WithName(v1alpha1.RingName(cache.Name)).
		WithNamespace(cache.Home()).
		WithLabels(labels(cache)).
		WithOwnerReferences(owner(cache)...).
		WithData(map[string]string{
			v1alpha1.RingKey:     string(document),
			v1alpha1.OwnerUIDKey: string(cache.UID),
		})
	if ledger != "" {
		object.WithData(map[string]string{v1alpha1.LedgerKey: ledger})
	}
	return object, nil
}

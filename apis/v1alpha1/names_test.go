package v1alpha1_test

import (
	"testing"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// The names are a contract with users, clients and other tools: a change here breaks them.
func TestNamesAreFrozen(t *testing.T) {
	for got, want := range map[string]string{
		v1alpha1.Group:                       "cache.sk1.services.com",
		v1alpha1.Version:                     "v1alpha1",
		v1alpha1.Kind:                        "DistributedCache",
		v1alpha1.Plural:                      "distributedcaches",
		v1alpha1.ShortName:                   "dc",
		v1alpha1.FieldManager:                "distributedcache-operator",
		v1alpha1.Finalizer:                   "cache.sk1.services.com/drain",
		v1alpha1.DrainingSinceAnnotation:     "cache.sk1.services.com/draining-since",
		v1alpha1.DrainGraceAnnotation:        "cache.sk1.services.com/drain-grace-seconds",
		v1alpha1.GenerationAnnotation:        "cache.sk1.services.com/generation",
		v1alpha1.LedgerKey:                   "drains.json",
		v1alpha1.OwnerNameLabel:              "cache.sk1.services.com/owner-name",
		v1alpha1.OwnerNamespaceLabel:         "cache.sk1.services.com/owner-namespace",
		v1alpha1.OwnerUIDLabel:               "cache.sk1.services.com/owner-uid",
		v1alpha1.NameLabel:                   "app.kubernetes.io/name",
		v1alpha1.InstanceLabel:               "app.kubernetes.io/instance",
		v1alpha1.ComponentLabel:              "app.kubernetes.io/component",
		v1alpha1.PartOfLabel:                 "app.kubernetes.io/part-of",
		v1alpha1.ManagedByLabel:              "app.kubernetes.io/managed-by",
		v1alpha1.RingKey:                     "ring.json",
		v1alpha1.OwnerUIDKey:                 "owner-uid",
		v1alpha1.ContainerName:               "tiny-cache",
		v1alpha1.PortName:                    "http",
		v1alpha1.ServiceName("orders-cache"): "orders-cache",
		v1alpha1.RingName("orders-cache"):    "orders-cache-ring",
		v1alpha1.CellName("orders-cache"):    "cache-orders-cache",
		v1alpha1.ReaderName("orders-cache"):  "orders-cache-ring-reader",
		v1alpha1.PodName("orders-cache", 12): "orders-cache-12",
		v1alpha1.GroupVersion.String():       "cache.sk1.services.com/v1alpha1",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if v1alpha1.StatefulSetName("orders-cache") != "orders-cache" {
		t.Errorf("StatefulSetName: %q", v1alpha1.StatefulSetName("orders-cache"))
	}
	if v1alpha1.Port != 8080 {
		t.Errorf("Port: %d", v1alpha1.Port)
	}
}

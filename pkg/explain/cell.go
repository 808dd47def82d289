package explain

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
)

// Cell is the namespace of an isolated cache.
type Cell struct {
	Namespace string    `json:"namespace"`
	State     CellState `json:"state"`
	// Why says more of every state but InPlace.
	Why string `json:"why,omitempty"`
	// Policy says that the NetworkPolicy exists; nil if that could not be read.
	Policy *bool `json:"policy,omitempty"`
	// Quota is what the cell may hold and holds, nil without a quota in force.
	Quota *Quota `json:"quota,omitempty"`
}

// CellState is how far a cell is, in a word.
type CellState string

// The states of cells.
const (
	// CellInPlace exists and is the cache's own.
	CellInPlace CellState = "InPlace"
	// CellMissing does not exist.
	CellMissing CellState = "Missing"
	// CellForeign has its name taken by a namespace that was not made for this cache.
	CellForeign CellState = "Foreign"
	// CellTerminating is being deleted.
	CellTerminating CellState = "Terminating"
	// CellUnread could not be read.
	CellUnread CellState = "Unread"
)

// Quota is the ResourceQuota of a cell.
type Quota struct {
	PodsUsed   string `json:"podsUsed"`
	PodsHard   string `json:"podsHard"`
	MemoryUsed string `json:"memoryUsed"`
	MemoryHard string `json:"memoryHard"`
}

func (v *view) cell() *Cell {
	if !v.cache.Spec.Tenant.Isolate || v.World.Cell == nil {
		return nil
	}
	c := &Cell{Namespace: v.cache.Home(), State: CellInPlace}
	namespace := v.World.Cell.Namespace
	switch {
	case namespace == nil && v.unread("Namespace"):
		c.State, c.Why = CellUnread, "the namespace could not be read"
	case namespace == nil:
		c.State, c.Why = CellMissing, "the namespace does not exist"
	case v.state.Cell.Foreign:
		c.State, c.Why = CellForeign, v.clash()
		return c
	case v.state.Cell.Going:
		c.State, c.Why = CellTerminating, "the namespace is being deleted"
		if held := readiness.HeldBy(namespace, v.now); held != "" {
			c.Why += " and does not go: " + held
		}
	}
	if !v.unread("NetworkPolicy") && namespace != nil {
		exists := v.World.Cell.Policy != nil
		c.Policy = &exists
	}
	c.Quota = quota(v.World.Cell.Quota)
	return c
}

func quota(q *corev1.ResourceQuota) *Quota {
	if q == nil || len(q.Status.Hard) == 0 {
		return nil
	}
	amount := func(list corev1.ResourceList, name corev1.ResourceName) string {
		quantity := list[name]
		return quantity.String()
	}
	return &Quota{
		PodsUsed:   amount(q.Status.Used, corev1.ResourcePods),
		PodsHard:   amount(q.Status.Hard, corev1.ResourcePods),
		MemoryUsed: amount(q.Status.Used, corev1.ResourceRequestsMemory),
		MemoryHard: amount(q.Status.Hard, corev1.ResourceRequestsMemory),
	}
}

// clash says whose the name of the cell is.
func (v *view) clash() string {
	labels := v.World.Cell.Namespace.Labels
	owner := labels[v1alpha1.OwnerNamespaceLabel] + "/" + labels[v1alpha1.OwnerNameLabel]
	switch {
	case labels[v1alpha1.ManagedByLabel] != v1alpha1.FieldManager || owner == "/":
		return fmt.Sprintf("namespace %s was not made for this cache", v.cache.Home())
	case owner == v.cache.Namespace+"/"+v.cache.Name:
		return fmt.Sprintf("namespace %s was made for a former cache of this name (UID %s)", v.cache.Home(), labels[v1alpha1.OwnerUIDLabel])
	default:
		return fmt.Sprintf("namespace %s is the cell of DistributedCache %s", v.cache.Home(), owner)
	}
}

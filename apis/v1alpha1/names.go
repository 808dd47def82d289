package v1alpha1

import "fmt"

// Names of the API. They are frozen: names_test.go holds a copy.
const (
	Group     = "cache.sk1.services.com"
	Version   = "v1alpha1"
	Kind      = "DistributedCache"
	Plural    = "distributedcaches"
	ShortName = "dc"
)

// Names the operator writes. They are frozen: names_test.go holds a copy.
const (
	// FieldManager owns, by server-side apply and forced, every field that the operator sets.
	FieldManager = "distributedcache-operator"
	// Finalizer holds a deleted cache until its members have been drained.
	Finalizer = Group + "/drain"
	// DrainingSinceAnnotation stands on a pod that left the ring for good; its value is the
	// RFC 3339 time of the ring write that dropped it.
	DrainingSinceAnnotation = Group + "/draining-since"

	// DrainGraceAnnotation stands on every pod; its value is the number of seconds that the pod
	// serves on after it has left the ring.
	DrainGraceAnnotation = Group + "/drain-grace-seconds"
	// GenerationAnnotation stands on the StatefulSet; its value is the metadata.generation of the
	// cache that it was rendered from. So every change of the cache makes older reads of the
	// StatefulSet stale.
	GenerationAnnotation = Group + "/generation"

	// OwnerNameLabel, OwnerNamespaceLabel and OwnerUIDLabel name the cache on each of its
	// objects. They serve where owner references cannot: across namespaces.
	OwnerNameLabel      = Group + "/owner-name"
	OwnerNamespaceLabel = Group + "/owner-namespace"
	OwnerUIDLabel       = Group + "/owner-uid"

	// The recommended labels of Kubernetes, as far as the operator sets them.
	NameLabel      = "app.kubernetes.io/name"
	InstanceLabel  = "app.kubernetes.io/instance"
	ComponentLabel = "app.kubernetes.io/component"
	PartOfLabel    = "app.kubernetes.io/part-of"
	ManagedByLabel = "app.kubernetes.io/managed-by"

	// RingKey is the ConfigMap key of the ring document, OwnerUIDKey that of the UID of the
	// cache whose ring it is: a changed UID tells a client that versions begin again.
	RingKey     = "ring.json"
	OwnerUIDKey = "owner-uid"
	// LedgerKey is the ConfigMap key of the drain ledger, which is the operator's own affair.
	LedgerKey = "drains.json"

	// ContainerName is the cache's container in every pod, PortName and Port where it listens.
	ContainerName = "tiny-cache"
	PortName      = "http"
	Port          = 8080
)

// MaxNameLength bounds metadata.name: a StatefulSet appends a revision hash of eleven
// characters to its name, and the result is a label value of at most 63.
const MaxNameLength = 52

// ServiceName is the headless Service of a cache.
func ServiceName(cache string) string { return cache }

// StatefulSetName is the StatefulSet of a cache.
func StatefulSetName(cache string) string { return cache }

// RingName is the ConfigMap that publishes the ring of a cache.
func RingName(cache string) string { return cache + "-ring" }

// CellName is the namespace of an isolated cache.
func CellName(cache string) string { return "cache-" + cache }

// PolicyName is the NetworkPolicy in the cell of a cache.
func PolicyName(cache string) string { return cache }

// QuotaName is the ResourceQuota in the cell of a cache.
func QuotaName(cache string) string { return cache }

// ReaderName is the Role, and the RoleBinding, by which clients read the ring in a cell.
func ReaderName(cache string) string { return cache + "-ring-reader" }

// PodName is the pod of a cache with the given ordinal.
func PodName(cache string, ordinal int) string { return fmt.Sprintf("%s-%d", cache, ordinal) }

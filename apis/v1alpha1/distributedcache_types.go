package v1alpha1

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// DistributedCache is one sharded in-memory cache: a number of equal tiny-cache pods and the
// ordered, versioned list of them (the ring) by which clients route. Contents are not replicated
// and do not move when the ring changes.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:path=distributedcaches,singular=distributedcache,shortName=dc,categories=all
// +kubebuilder:printcolumn:name=Available,type=string,JSONPath=.status.conditions[?(@.type=="Available")].status,description="Whether the published ring can serve"
// +kubebuilder:printcolumn:name=Replicas,type=integer,JSONPath=.spec.replicas,description="Wanted number of cache pods"
// +kubebuilder:printcolumn:name=Ring,type=integer,JSONPath=.status.ringVersion,description="Version of the published ring"
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.readyReplicas,priority=1,description="Cache pods that are Ready"
// +kubebuilder:printcolumn:name=Progressing,type=string,JSONPath=.status.conditions[?(@.type=="Progressing")].reason,priority=1,description="What the operator is doing"
// +kubebuilder:printcolumn:name=Degraded,type=string,JSONPath=.status.conditions[?(@.type=="Degraded")].reason,priority=1,description="What is wrong"
// +kubebuilder:printcolumn:name=Isolated,type=string,JSONPath=.status.conditions[?(@.type=="TenantIsolated")].status,priority=1,description="Whether the cache lives in a namespace of its own"
// +kubebuilder:printcolumn:name=Memory,type=string,JSONPath=.spec.memoryPerPod,priority=1,description="Memory of each cache pod"
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be at most 52 characters: lower-case letters, digits and '-', beginning with a letter and ending with a letter or digit (for example 'orders-cache')",fieldPath=".metadata"
type DistributedCache struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard object metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the wanted cache.
	// +optional
	// +kubebuilder:default={}
	Spec DistributedCacheSpec `json:"spec,omitempty"`

	// status is the observed cache. Only the operator writes it.
	// +optional
	// +kubebuilder:default={observedGeneration:-1}
	Status DistributedCacheStatus `json:"status,omitempty"`
}

// DistributedCacheSpec is what the user wants.
type DistributedCacheSpec struct {
	// replicas is the number of cache pods, and so of ring members when all are healthy.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=1000
	Replicas *int32 `json:"replicas,omitempty"`

	// image is the tiny-cache image to run. Left out, the operator runs the one of its own
	// release (its --cache-image flag).
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="!self.matches('[[:space:]]')",message="image must be an image reference without white space, for example 'registry.example.com/tiny-cache:v1'"
	Image string `json:"image,omitempty"`

	// memoryPerPod is the memory request and limit of each cache pod; tiny-cache sizes itself
	// from it. At least 64Mi.
	// +optional
	// +kubebuilder:default="128Mi"
	// +kubebuilder:validation:XValidation:rule="!isQuantity(string(self)) || quantity(string(self)).compareTo(quantity('64Mi')) >= 0",message="memoryPerPod must be at least 64Mi"
	// +kubebuilder:validation:XValidation:rule="!isQuantity(string(self)) || quantity(string(self)).compareTo(quantity('1Ti')) <= 0",message="memoryPerPod must be at most 1Ti; use more replicas instead"
	// +kubebuilder:validation:XValidation:rule="!isQuantity(string(self)) || quantity(string(self)).isInteger()",message="memoryPerPod must be a whole number of bytes, for example 128Mi"
	MemoryPerPod *resource.Quantity `json:"memoryPerPod,omitempty"`

	// drain says how a pod leaves the ring for good.
	// +optional
	// +kubebuilder:default={}
	Drain DrainSpec `json:"drain,omitempty"`

	// tenant says how the cache is separated from its neighbours.
	// +optional
	// +kubebuilder:default={}
	Tenant TenantSpec `json:"tenant,omitempty"`

	// pod holds the options of the cache pods that the operator passes on as they are.
	// +optional
	// +kubebuilder:default={}
	Pod PodOptions `json:"pod,omitempty"`

	// paused stops the operator from changing anything that belongs to this cache, the ring
	// included, until it is false again.
	// +optional
	// +kubebuilder:default=false
	Paused bool `json:"paused,omitempty"`
}

// DrainSpec says how a pod leaves the ring for good.
type DrainSpec struct {
	// gracePeriodSeconds is how long a pod that left the ring goes on serving before it is
	// terminated. It must exceed the time clients take to see a new ring: about a second when
	// they watch the API, more than a minute when they read a mounted ConfigMap.
	// +optional
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=3600
	GracePeriodSeconds *int32 `json:"gracePeriodSeconds,omitempty"`
}

// TenantSpec says how the cache is separated from its neighbours.
//
// +kubebuilder:validation:XValidation:rule="self.isolate || !has(self.clients) || size(self.clients) == 0",message="tenant.clients needs tenant.isolate: true; a cache that is not isolated can be reached from every namespace"
type TenantSpec struct {
	// isolate gives the cache a namespace of its own (cache-<name>, the cell) with a
	// ResourceQuota and a NetworkPolicy. It cannot be changed after creation.
	// +optional
	// +kubebuilder:default=false
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="tenant.isolate cannot be changed after creation; create another DistributedCache and move its clients"
	Isolate bool `json:"isolate"`

	// clients selects, by their labels, the namespaces whose pods may reach an isolated cache and
	// read its ring. Empty, none may.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(s, (has(s.matchLabels) && size(s.matchLabels) > 0) || (has(s.matchExpressions) && size(s.matchExpressions) > 0))",message="an empty selector would admit every namespace; select some, for example matchLabels: {kubernetes.io/metadata.name: shop}"
	Clients []metav1.LabelSelector `json:"clients,omitempty"`
}

// DistributedCacheStatus is what the operator observed, as of observedGeneration.
type DistributedCacheStatus struct {
	// observedGeneration is the metadata.generation that the rest of the status speaks of; -1
	// until the operator has seen the object.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// replicas is the number of cache pods that exist.
	// +optional
	Replicas int32 `json:"replicas"`

	// readyReplicas is the number of cache pods that are Ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`

	// ringVersion is the highest ring version ever published for this object; no later ring has
	// a lower one, also when the ring's ConfigMap is deleted.
	// +optional
	RingVersion int64 `json:"ringVersion,omitempty"`

	// selector selects the cache pods, in the string form that the scale subresource serves.
	// +optional
	Selector string `json:"selector,omitempty"`

	// cellNamespace is the namespace of an isolated cache.
	// +optional
	CellNamespace string `json:"cellNamespace,omitempty"`

	// cellUID is the UID of that namespace, by which the operator knows it also when it lost its
	// labels.
	// +optional
	CellUID types.UID `json:"cellUID,omitempty"`

	// drain is the drain in progress, absent when there is none.
	// +optional
	Drain *DrainStatus `json:"drain,omitempty"`

	// conditions are Available, Progressing, Degraded, TenantIsolated and Ready, and while true
	// Reconciling and Stalled.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// DrainStatus is a drain in progress.
type DrainStatus struct {
	// pods are the pods that left the ring and are still serving.
	// +optional
	// +listType=map
	// +listMapKey=name
	Pods []DrainingPod `json:"pods,omitempty"`
}

// DrainingPod is one pod that left the ring for good.
type DrainingPod struct {
	// name is the pod's name.
	// +required
	Name string `json:"name"`
	// since is when the ring without the pod was published.
	// +required
	Since metav1.Time `json:"since"`
	// until is when its grace ends.
	// +required
	Until metav1.Time `json:"until"`
}

// DistributedCacheList is a list of DistributedCache objects.
//
// +kubebuilder:object:root=true
type DistributedCacheList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []DistributedCache `json:"items"`
}

// WantedReplicas is spec.replicas with its default.
func (c *DistributedCache) WantedReplicas() int32 {
	if c.Spec.Replicas == nil {
		return DefaultReplicas
	}
	return *c.Spec.Replicas
}

// Home is the namespace of the cache's objects: its own, or its cell.
func (c *DistributedCache) Home() string {
	if c.Spec.Tenant.Isolate {
		return CellName(c.Name)
	}
	return c.Namespace
}

// Memory is spec.memoryPerPod with its default.
func (c *DistributedCache) Memory() resource.Quantity {
	if c.Spec.MemoryPerPod == nil {
		return resource.MustParse(DefaultMemoryPerPod)
	}
	return c.Spec.MemoryPerPod.DeepCopy()
}

// Grace is spec.drain.gracePeriodSeconds with its default.
func (c *DistributedCache) Grace() time.Duration {
	if c.Spec.Drain.GracePeriodSeconds == nil {
		return DefaultGrace
	}
	return time.Duration(*c.Spec.Drain.GracePeriodSeconds) * time.Second
}

// Defaults of the schema, for objects that did not pass an API server.
const (
	DefaultReplicas     = 3
	DefaultMemoryPerPod = "128Mi"
	DefaultGrace        = 30 * time.Second
)

package v1alpha1

import corev1 "k8s.io/api/core/v1"

// PodOptions are the options of the cache pods that the operator passes on as they are. Changing
// any of them restarts the pods one at a time.
type PodOptions struct {
	// labels are added to the cache pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('app.kubernetes.io/') && !k.startsWith('cache.sk1.services.com/'))",message="pod.labels may not use the prefixes app.kubernetes.io/ and cache.sk1.services.com/, which the operator sets; choose another key"
	// +kubebuilder:validation:XValidation:rule="self.all(k, size(k) <= 317 && size(self[k]) <= 63)",message="pod.labels keys are a name of at most 63 characters with an optional DNS prefix, values at most 63 characters"
	Labels map[string]string `json:"labels,omitempty"`

	// annotations are added to the cache pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(k, !k.startsWith('cache.sk1.services.com/'))",message="pod.annotations may not use the prefix cache.sk1.services.com/, which the operator sets; choose another key"
	Annotations map[string]string `json:"annotations,omitempty"`

	// nodeSelector restricts the nodes that cache pods may run on.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`

	// tolerations are the taints that cache pods tolerate.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`

	// affinity are the scheduling preferences of cache pods.
	// +optional
	Affinity *corev1.Affinity `json:"affinity,omitempty"`

	// topologySpreadConstraints say how cache pods spread over the topology. A constraint
	// without a labelSelector spreads the pods of this cache.
	// +optional
	// +listType=map
	// +listMapKey=topologyKey
	// +listMapKey=whenUnsatisfiable
	// +kubebuilder:validation:MaxItems=16
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`

	// priorityClassName is the priority class of cache pods.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName string `json:"priorityClassName,omitempty"`

	// imagePullSecrets are the secrets, in the namespace of the pods, to pull the image with.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	ImagePullSecrets []corev1.LocalObjectReference `json:"imagePullSecrets,omitempty"`

	// imagePullPolicy says when the image is pulled.
	// +optional
	// +kubebuilder:validation:Enum=Always;IfNotPresent;Never
	ImagePullPolicy corev1.PullPolicy `json:"imagePullPolicy,omitempty"`

	// serviceAccountName is the service account of cache pods; its token is not mounted.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ServiceAccountName string `json:"serviceAccountName,omitempty"`

	// resources are the CPU request and limit of cache pods; memory comes from memoryPerPod.
	// +optional
	// +kubebuilder:default={}
	Resources CPUResources `json:"resources,omitempty"`
}

// CPUResources are a CPU request and limit.
type CPUResources struct {
	// requests is what the scheduler sets aside for the pod; only cpu is allowed.
	// +optional
	// +kubebuilder:validation:MaxProperties=4
	// +kubebuilder:validation:XValidation:rule="self.all(k, k == 'cpu')",message="pod.resources.requests may hold cpu only; memory comes from spec.memoryPerPod"
	Requests corev1.ResourceList `json:"requests,omitempty"`

	// limits is what the pod may use at most; only cpu is allowed.
	// +optional
	// +kubebuilder:validation:MaxProperties=4
	// +kubebuilder:validation:XValidation:rule="self.all(k, k == 'cpu')",message="pod.resources.limits may hold cpu only; memory comes from spec.memoryPerPod"
	Limits corev1.ResourceList `json:"limits,omitempty"`
}

// Package v1alpha1 is the public contract: the DistributedCache kind, its conditions and
// reasons, and every name that users, clients and other tools may rely on.
//
// Its law: nothing here depends on the operator's own rooms, and a name once released is never
// changed. Validation lives in the schema (CEL markers), so that a bad object is refused at
// admission with one sentence that says what would be right, and no webhook is needed.
//
// +kubebuilder:object:generate=true
// +kubebuilder:ac:generate=true
// +kubebuilder:ac:output:package=../../applyconfiguration
// +groupName=cache.sk1.services.com
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	// GroupVersion identifies this version of the API.
	GroupVersion = schema.GroupVersion{Group: Group, Version: Version}

	// SchemeGroupVersion is GroupVersion under the name that generated code expects.
	SchemeGroupVersion = GroupVersion

	// SchemeBuilder registers the kinds of this package.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)

	// AddToScheme adds the kinds of this package to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &DistributedCache{}, &DistributedCacheList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// Package render turns a cache and its plan into the objects to apply.
//
// Its law: pure, and the only place besides templates/ that knows what an object looks like. The
// same cache and plan give the same objects; golden files under testdata show them. A template is
// decoded strictly, so an unknown, duplicate or wrongly capitalised key cannot be shipped.
package render

import (
	"errors"
	"fmt"

	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/templates"
)

// decode reads a template into a new apply configuration.
func decode[T any](file string) (*T, error) {
	data, err := templates.Files.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", file, err)
	}
	object, err := decodeStrict[T](data)
	if err != nil {
		return nil, fmt.Errorf("template %s: %w", file, err)
	}
	return object, nil
}

func decodeStrict[T any](manifest []byte) (*T, error) {
	data, err := yaml.YAMLToJSONStrict(manifest)
	if err != nil {
		return nil, err
	}
	object := new(T)
	strict, err := kjson.UnmarshalStrict(data, object)
	if err := errors.Join(append(strict, err)...); err != nil {
		return nil, err
	}
	var top map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &top); err != nil {
		return nil, err
	}
	if _, ok := top["status"]; ok {
		return nil, errors.New(`field "status" is not the operator's to set`)
	}
	return object, nil
}

// labels are the labels of every object of the cache.
func labels(cache *v1alpha1.DistributedCache) map[string]string {
	set := selector(cache)
	set[v1alpha1.ComponentLabel] = "cache"
	set[v1alpha1.PartOfLabel] = "distributed-cache"
	set[v1alpha1.ManagedByLabel] = v1alpha1.FieldManager
	set[v1alpha1.OwnerNameLabel] = cache.Name
	set[v1alpha1.OwnerNamespaceLabel] = cache.Namespace
	set[v1alpha1.OwnerUIDLabel] = string(cache.UID)
	return set
}

// selector is the part of the labels that selects the pods of the cache. A StatefulSet cannot
// change it.
func selector(cache *v1alpha1.DistributedCache) map[string]string {
	return map[string]string{
		v1alpha1.NameLabel:     "tiny-cache",
		v1alpha1.InstanceLabel: cache.Name,
	}
}

// owner is the reference to the cache; none from its cell, since references cannot cross
// namespaces.
func owner(cache *v1alpha1.DistributedCache) []*metav1ac.OwnerReferenceApplyConfiguration {
	if cache.Home() != cache.Namespace {
		return nil
	}
	return []*metav1ac.OwnerReferenceApplyConfiguration{metav1ac.OwnerReference().
		WithAPIVersion(v1alpha1.GroupVersion.String()).
		WithKind(v1alpha1.Kind).
		WithName(cache.Name).
		WithUID(cache.UID).
		WithController(true).
		WithBlockOwnerDeletion(true)}
}

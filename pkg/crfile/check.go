package crfile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	openapi "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// check does what the API server does with a cache that is to be created: it refuses fields that it
// does not know, fills in the defaults, and validates. The steps and their order are those of its
// handler of custom resources.
func check(u *unstructured.Unstructured, o Options) (*v1alpha1.DistributedCache, []error) {
	r, err := served()
	if err != nil {
		return nil, []error{err}
	}
	unknown, meta, err := r.prune(u)
	if err != nil {
		return nil, []error{err}
	}
	var failed []error
	if len(unknown) > 0 {
		failed = append(failed, runtime.NewStrictDecodingError(unknown))
	}
	if meta.Namespace == "" {
		meta.Namespace = orDefault(o.Namespace)
	}
	meta.Generation = 1
	if err := objectmeta.SetObjectMeta(u.Object, meta); err != nil {
		return nil, append(failed, err)
	}
	// Only the operator writes the status; the API server drops what is given with the rest.
	delete(u.Object, "status")
	defaulting.Default(u.Object, r.structure)

	if invalid := r.validate(u, meta); len(invalid) > 0 {
		failed = append(failed, apierrors.NewInvalid(v1alpha1.GroupVersion.WithKind(v1alpha1.Kind).GroupKind(), meta.Name, invalid))
	}
	if len(failed) > 0 {
		return nil, failed
	}
	cache, err := typed(u)
	if err != nil {
		return nil, []error{err}
	}
	return cache, nil
}

func orDefault(namespace string) string {
	if namespace == "" {
		return metav1.NamespaceDefault
	}
	return namespace
}

// prune takes away what the schema does not know, and names it.
func (r *rules) prune(u *unstructured.Unstructured) ([]error, *metav1.ObjectMeta, error) {
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(u.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, nil, err
	}
	if !found {
		meta = &metav1.ObjectMeta{}
	}
	version, kind := u.GetAPIVersion(), u.GetKind()
	unknown = append(unknown, pruning.PruneWithOptions(u.Object, r.structure, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, r.structure)
	u.SetAPIVersion(version)
	u.SetKind(kind)
	slices.Sort(unknown)
	var failed []error
	for _, path := range unknown {
		failed = append(failed, fmt.Errorf("unknown field %q", path))
	}
	return failed, meta, nil
}

func (r *rules) validate(u *unstructured.Unstructured, meta *metav1.ObjectMeta) field.ErrorList {
	var failed field.ErrorList
	failed = append(failed, validation.ValidateObjectMeta(meta, true, validation.NameIsDNSSubdomain, field.NewPath("metadata"))...)
	failed = append(failed, openapi.ValidateCustomResource(nil, u.Object, r.openAPI)...)
	failed = append(failed, listtype.ValidateListSetsAndMaps(nil, r.structure, u.Object)...)
	slices.SortStableFunc(failed, byField)
	if slices.ContainsFunc(failed, blocks) {
		return append(failed, field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"))
	}
	broken, _ := r.cel.Validate(context.Background(), nil, r.structure, u.Object, nil, celconfig.RuntimeCELCostBudget)
	slices.SortStableFunc(broken, byField)
	return append(failed, broken...)
}

// byField puts errors in an order that does not depend on that of Go's maps; those that name no field
// come last.
func byField(a, b *field.Error) int {
	if named := a.Field != nameless; named != (b.Field != nameless) {
		if named {
			return -1
		}
		return 1
	}
	return strings.Compare(a.Field, b.Field)
}

// nameless is the field of an error without a path.
var nameless = (*field.Path)(nil).String()

// blocks reports whether the API server does not go on to the rules after such an error: they may
// count on the types.
func blocks(err *field.Error) bool {
	return slices.Contains([]field.ErrorType{
		field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid,
	}, err.Type)
}

func typed(u *unstructured.Unstructured) (*v1alpha1.DistributedCache, error) {
	data, err := json.Marshal(u.Object)
	if err != nil {
		return nil, err
	}
	cache := &v1alpha1.DistributedCache{}
	if err := json.Unmarshal(data, cache); err != nil {
		return nil, err
	}
	return cache, nil
}

package crfile

import (
	"fmt"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/config/crd"
)

// rules are the schema of a version of the API in the forms that the API server makes of it.
type rules struct {
	structure *structuralschema.Structural
	openAPI   validation.SchemaValidator
	cel       *cel.Validator
}

// served are the rules of the version that is read; it takes a while to compile them.
var served = sync.OnceValues(func() (*rules, error) {
	r, err := compile(crd.DistributedCaches, v1alpha1.Version)
	if err != nil {
		return nil, fmt.Errorf("the CustomResourceDefinition of %s.%s: %w", v1alpha1.Plural, v1alpha1.Group, err)
	}
	return r, nil
})

func compile(manifest []byte, version string) (*rules, error) {
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(manifest, definition); err != nil {
		return nil, err
	}
	for i := range definition.Spec.Versions {
		v := &definition.Spec.Versions[i]
		if v.Name != version || v.Schema == nil {
			continue
		}
		props := &apiextensions.JSONSchemaProps{}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, props, nil); err != nil {
			return nil, err
		}
		return compileProps(props)
	}
	return nil, fmt.Errorf("it has no version %s", version)
}

func compileProps(props *apiextensions.JSONSchemaProps) (*rules, error) {
	structure, err := structuralschema.NewStructural(props)
	if err != nil {
		return nil, err
	}
	if err := defaulting.PruneDefaults(structure); err != nil {
		return nil, err
	}
	openAPI, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, err
	}
	return &rules{structure: structure, openAPI: openAPI, cel: cel.NewValidator(structure, true, celconfig.PerCallLimit)}, nil
}

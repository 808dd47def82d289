// Package crd holds the generated CustomResourceDefinition of DistributedCaches, for programs that
// judge a cache by the schema that the API server goes by.
package crd

import _ "embed"

// DistributedCaches is the CustomResourceDefinition, in YAML.
//
//go:embed bases/cache.sk1.services.com_distributedcaches.yaml
var DistributedCaches []byte

// Package templates holds one whole, readable manifest per object that the operator owns.
//
// Its law: what does not depend on the cache stands here, what does is set by pkg/render, and no
// field is set in both. There is no text templating; every file is plain YAML that decodes
// strictly.
package templates

import "embed"

// Files are the manifests, by file name.
//
//go:embed *.yaml
var Files embed.FS

// Names of the manifests in Files.
const (
	Service     = "service.yaml"
	StatefulSet = "statefulset.yaml"
	Ring        = "ring.yaml"

	Namespace     = "namespace.yaml"
	NetworkPolicy = "networkpolicy.yaml"
	ResourceQuota = "resourcequota.yaml"
	Role          = "role.yaml"
	RoleBinding   = "rolebinding.yaml"
)

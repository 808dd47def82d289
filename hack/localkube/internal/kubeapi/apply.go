package kubeapi

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"sigs.k8s.io/yaml"
)

// header is what a manifest says about itself.
type header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
}

// path is the address of a cluster-scoped object; localkube itself makes no other.
func (h header) path() string {
	base := "/apis/" + h.APIVersion
	if !strings.Contains(h.APIVersion, "/") {
		base = "/api/" + h.APIVersion
	}
	return base + "/" + strings.ToLower(h.Kind) + "s/" + h.Metadata.Name
}

// Apply creates or updates the one object in a manifest.
func (c *Client) Apply(ctx context.Context, manifest []byte) error {
	var h header
	if err := yaml.Unmarshal(manifest, &h); err != nil {
		return fmt.Errorf("read a manifest: %w", err)
	}
	if h.APIVersion == "" || h.Kind == "" || h.Metadata.Name == "" {
		return fmt.Errorf("a manifest without apiVersion, kind or name: %.80s", manifest)
	}
	_, err := c.do(ctx, http.MethodPatch, h.path()+"?fieldManager=localkube&force=true", manifest)
	return err
}

// ApplyAll applies every manifest in a file system.
func (c *Client) ApplyAll(ctx context.Context, manifests fs.FS) error {
	return fs.WalkDir(manifests, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(manifests, path)
		if err != nil {
			return err
		}
		if err := c.Apply(ctx, raw); err != nil {
			return fmt.Errorf("apply %s: %w", path, err)
		}
		return nil
	})
}

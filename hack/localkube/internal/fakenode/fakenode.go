// Package fakenode knows how kwok is told to play nodes that run nothing: their pods become
// ready at once, jobs complete at once, and deleted pods vanish at once. Fake nodes beside a
// real one are tainted, because a pod that strays onto one looks well and does nothing.
package fakenode

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/kubeconfig"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/pki"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/supervisor"
)

// Kwok is the name of the component and of its program.
const Kwok = "kwok"

// MaxNodes keeps the pod networks of all fake nodes within one private range.
const MaxNodes = 5000

const annotation = "kwok.x-k8s.io/node"

// Manifests are kwok's rights in the cluster.
//
//go:embed manifests/*.yaml
var Manifests embed.FS

//go:embed stages/*.yaml
var stages embed.FS

// Prepare writes kwok's files and returns what to start.
func Prepare(dir instance.Dir, program, server, address string, store *pki.Store) (supervisor.Spec, error) {
	config := dir.Join("conf", "kwok.kubeconfig")
	if err := kubeconfig.Write(config, "localkube", server, store, pki.Kwok); err != nil {
		return supervisor.Spec{}, err
	}
	text, err := allStages()
	if err != nil {
		return supervisor.Spec{}, err
	}
	path := dir.Join("conf", "kwok-stages.yaml")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return supervisor.Spec{}, fmt.Errorf("write kwok's stages: %w", err)
	}
	return supervisor.Spec{Name: Kwok, Path: program, Args: []string{
		"--config=" + path,
		"--kubeconfig=" + config,
		"--manage-nodes-with-annotation-selector=" + annotation + "=fake",
		"--node-lease-duration-seconds=40",
		"--node-ip=" + address,
	}}, nil
}

func allStages() ([]byte, error) {
	var all []byte
	err := fs.WalkDir(stages, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := stages.ReadFile(path)
		all = append(append(all, "---\n"...), raw...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read kwok's stages: %w", err)
	}
	return all, nil
}

// Node is the manifest of fake node number i.
func Node(i int, tainted bool) ([]byte, error) {
	name := fmt.Sprintf("kwok-%d", i)
	cidr := fmt.Sprintf("10.%d.%d.0/24", 128+i/256, i%256)
	spec := map[string]any{"podCIDR": cidr, "podCIDRs": []string{cidr}}
	if tainted {
		spec["taints"] = []map[string]string{{"key": annotation, "value": "fake", "effect": "NoSchedule"}}
	}
	raw, err := json.Marshal(map[string]any{
		"apiVersion": "v1",
		"kind":       "Node",
		"metadata": map[string]any{
			"name":        name,
			"annotations": map[string]string{annotation: "fake"},
			"labels": map[string]string{
				"type": "kwok", "kubernetes.io/hostname": name,
				"kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
			},
		},
		"spec": spec,
	})
	if err != nil {
		return nil, fmt.Errorf("encode node %s: %w", name, err)
	}
	return raw, nil
}

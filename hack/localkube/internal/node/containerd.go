package node

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/network"
)

// PauseImage holds a pod's namespaces; `up` builds and imports it.
const PauseImage = "localkube/pause:1"

const containerdTemplate = `version = 3
root = %[1]q
state = %[2]q
disabled_plugins = [
  "io.containerd.snapshotter.v1.blockfile",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.erofs",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.tracing.processor.v1.otlp",
]

[grpc]
  address = %[3]q

[plugins.'io.containerd.nri.v1.nri']
  disable = true

[plugins.'io.containerd.internal.v1.opt']
  path = %[9]q

[plugins.'io.containerd.cri.v1.images']
  snapshotter = %[4]q
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = "docker.io/%[5]s"

[plugins.'io.containerd.cri.v1.runtime']
  # A machine without CAP_SYS_RESOURCE can't lower a process's OOM score: without this every
  # sandbox there fails.
  restrict_oom_score_adj = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = [%[6]q]
    conf_dir = %[7]q
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      BinaryName = %[8]q
      SystemdCgroup = false
`

func containerdConfig(o Options) (string, error) {
	runc, err := exec.LookPath("runc")
	if err != nil {
		return "", fmt.Errorf("find runc: %w", err)
	}
	root := o.Dir.Join("containerd", "root")
	if err := os.MkdirAll(root, 0o711); err != nil {
		return "", fmt.Errorf("create containerd's directory: %w", err)
	}
	snapshotter, err := snapshotterFor(root)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(containerdTemplate, root, o.Dir.Join("containerd", "state"), o.Dir.ContainerdSocket(),
		snapshotter, PauseImage, pluginDir(), o.conf("cni"), runc, o.Dir.Join("containerd", "opt")), nil
}

// snapshotterFor avoids an overlay on an overlay, which the kernel refuses; that is where the
// state directory lies when all of this runs in a container.
func snapshotterFor(dir string) (string, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return "", fmt.Errorf("look at the file system of %s: %w", dir, err)
	}
	if fs.Type == unix.OVERLAYFS_SUPER_MAGIC {
		return "native", nil
	}
	return "overlayfs", nil
}

// cniConfig connects pods by one bridge. Pods keep their own addresses towards each other;
// nothing of theirs leaves the node's network namespace.
func cniConfig(o Options) (string, error) {
	list := object{
		"cniVersion": "1.0.0",
		"name":       "pods",
		"plugins": []object{
			{
				"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
				"ipam": object{
					"type":    "host-local",
					"dataDir": o.Dir.Join("var", "cni"),
					"ranges":  [][]object{{{"subnet": network.NodePodCIDR}}},
					"routes":  []object{{"dst": "0.0.0.0/0"}},
				},
			},
			{"type": "portmap", "capabilities": object{"portMappings": true}},
		},
	}
	raw, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode the pod network's configuration: %w", err)
	}
	return string(raw), nil
}

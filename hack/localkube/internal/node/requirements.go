package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/cgroups"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/debian"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/supervisor"
)

// pluginDirs are where CNI plugins are installed: Debian's place, then the upstream one.
var pluginDirs = []string{"/usr/lib/cni", "/opt/cni/bin"}

func pluginDir() string {
	for _, dir := range pluginDirs {
		if hasPlugins(dir) {
			return dir
		}
	}
	return pluginDirs[0]
}

func hasPlugins(dir string) bool {
	for _, plugin := range []string{"bridge", "host-local", "portmap", "loopback"} {
		if _, err := os.Stat(dir + "/" + plugin); err != nil {
			return false
		}
	}
	return true
}

// Tools are the machine's own programs that a node uses, with the package that brings each.
func Tools() []debian.Tool {
	return []debian.Tool{
		{Name: "runc", Package: "runc", Present: onPath("runc")},
		{Name: "iptables", Package: "iptables", Present: onPath("iptables-restore")},
		{Name: "ipset", Package: "ipset", Present: onPath("ipset")},
		{Name: "mount", Package: "mount", Present: onPath("mount")},
		{Name: "the CNI plugins", Package: "containernetworking-plugins", Present: func() bool { return hasPlugins(pluginDir()) }},
	}
}

func onPath(program string) func() bool {
	return func() bool {
		_, err := exec.LookPath(program)
		return err == nil
	}
}

// Obstacles says what keeps this machine from running a real node; none means that it can.
// Missing tools are no obstacle where Install can bring them.
func Obstacles(ctx context.Context, paths ...string) []string {
	var out []string
	if os.Geteuid() != 0 {
		out = append(out, "not root")
	} else if err := supervisor.Probe(ctx); err != nil {
		out = append(out, "cannot "+err.Error())
	}
	if missing := cgroups.Missing("cpu", "memory", "pids", "cpuset"); len(missing) > 0 {
		out = append(out, "no cgroup controller "+strings.Join(missing, ", "))
	}
	if missing := debian.Missing(Tools()); len(missing) > 0 && !debian.CanInstall() {
		out = append(out, fmt.Sprintf("missing %s (on Debian: apt-get install %s)",
			strings.Join(debian.Names(missing), ", "), strings.Join(debian.Packages(missing), " ")))
	}
	for _, path := range paths {
		if dir := instance.Hides(path, supervisor.Covered()); dir != "" {
			out = append(out, fmt.Sprintf("%s lies beneath %s, which a node sees its own version of", path, dir))
		}
	}
	return out
}

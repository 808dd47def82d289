package supervisor

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
)

// covered maps the host directories in which kubelet, containerd, runc, CNI plugins and
// iptables have hard-coded paths to the instance's own. /sys must stay as it is: a new one
// would come without the cgroup hierarchies.
var covered = map[string]string{
	"/run":     "var/run",
	"/var/lib": "var/lib",
	"/var/log": "var/log",
}

// Covered lists the host directories that a real node does not see; neither the state nor the
// programs may lie beneath one.
func Covered() []string { return []string{"/run", "/var/run", "/var/lib", "/var/log"} }

// tunables are the settings of the whole kernel (not of a namespace) that a kubelet insists on.
// It finds them fulfilled in these files and so leaves the machine's own alone.
var tunables = map[string]string{
	"vm/overcommit_memory":      "1",
	"vm/panic_on_oom":           "0",
	"kernel/panic":              "10",
	"kernel/panic_on_oops":      "1",
	"kernel/keys/root_maxkeys":  "1000000",
	"kernel/keys/root_maxbytes": "25000000",
}

// enterSandbox turns the fresh mount and PID namespaces into the node's view of the machine.
func enterSandbox(dir instance.Dir) error {
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("detach from the host's mounts: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	for host, own := range covered {
		source := dir.Join(own)
		if err := os.MkdirAll(source, 0o755); err != nil {
			return fmt.Errorf("create %s: %w", source, err)
		}
		if err := unix.Mount(source, host, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("cover %s: %w", host, err)
		}
	}
	for name, value := range tunables {
		if err := pretend(dir, name, value); err != nil {
			return err
		}
	}
	// Shared among the node's own mount namespaces, so that pods may ask for propagation.
	if err := unix.Mount("", "/", "", unix.MS_SHARED|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("share the node's mounts: %w", err)
	}
	return nil
}

func pretend(dir instance.Dir, name, value string) error {
	target := filepath.Join("/proc/sys", name)
	if _, err := os.Stat(target); err != nil {
		return nil //nolint:nilerr // this kernel has no such setting
	}
	file := dir.Join("sysctl", filepath.Base(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("create %s: %w", filepath.Dir(file), err)
	}
	if err := os.WriteFile(file, []byte(value+"\n"), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if err := unix.Mount(file, target, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("cover %s: %w", target, err)
	}
	return nil
}

//go:build realnode

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// machine is all that a node could leave behind on its host, as sets of lines.
type machine map[string][]string

// look takes a snapshot. Other instances of localkube may come and go meanwhile: what is
// certainly theirs is left out. Everything else counts, whether or not it looks like ours.
func look(t *testing.T, states ...string) machine {
	t.Helper()
	m := machine{
		"mounts":    lines(t, "/proc/self/mounts"),
		"sysctls":   sysctls(t),
		"iptables":  rules("iptables-save"),
		"ip6tables": rules("ip6tables-save"),
		"links":     links(t),
		"routes":    ownRoutes(t),
	}
	m["processes"], m["namespaces"] = processes(t, states)
	for _, dir := range []string{
		"/run", "/run/netns", "/run/containerd", "/var/lib", "/var/lib/kubelet", "/var/lib/cni", "/var/log",
		"/var/log/pods", "/var/log/containers", "/etc/cni", "/etc/cni/net.d", "/opt", "/opt/cni", "/usr/libexec",
	} {
		m["files in "+dir] = names(dir)
	}
	m["cgroups"] = cgroupDirs(t)
	return m
}

// compare reports every difference.
func compare(t *testing.T, before, after machine) {
	t.Helper()
	for what, had := range before {
		for _, line := range after[what] {
			if !slices.Contains(had, line) {
				t.Errorf("%s: left behind: %s", what, line)
			}
		}
		for _, line := range had {
			if !slices.Contains(after[what], line) {
				t.Errorf("%s: gone: %s", what, line)
			}
		}
	}
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

func names(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []string{"(no such directory)"}
	}
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// sysctls are those of the whole kernel that a kubelet, a proxy or a container runtime sets.
func sysctls(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, name := range []string{
		"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
		"kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes", "net/ipv4/ip_forward",
		"net/bridge/bridge-nf-call-iptables", "net/netfilter/nf_conntrack_max", "fs/inotify/max_user_instances",
	} {
		if raw, err := os.ReadFile(filepath.Join("/proc/sys", name)); err == nil {
			out = append(out, name+"="+strings.TrimSpace(string(raw)))
		}
	}
	return out
}

// rules lists tables without comments and counters; nil where the tool is not there.
func rules(tool string) []string {
	raw, err := exec.Command(tool).Output()
	if err != nil {
		return nil
	}
	counters := regexp.MustCompile(`\[\d+:\d+\]`)
	var out []string
	for line := range strings.Lines(string(raw)) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, strings.TrimSpace(counters.ReplaceAllString(line, "")))
		}
	}
	return out
}

var hostLink = regexp.MustCompile(`^lk\d+h$`)

// links of the host; those of other instances are told apart by whether someone lives there.
func links(t *testing.T) []string {
	t.Helper()
	return slices.DeleteFunc(names("/sys/class/net"), func(name string) bool {
		return hostLink.MatchString(name) && ownedByOther(t, name)
	})
}

func ownRoutes(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, line := range lines(t, "/proc/net/route")[1:] {
		fields := strings.Fields(line)
		if !hostLink.MatchString(fields[0]) || !ownedByOther(t, fields[0]) {
			out = append(out, fields[0]+" "+fields[1])
		}
	}
	return out
}

// cgroupDirs lists the upper levels in each hierarchy; deeper down other programs come and go.
func cgroupDirs(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"/sys/fs/cgroup/*", "/sys/fs/cgroup/*/*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range found {
			info, err := os.Stat(dir)
			name := filepath.Base(dir)
			if err == nil && info.IsDir() && (!strings.HasPrefix(name, "localkube-") || strings.HasPrefix(name, "localkube-"+prefix)) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// zombie reports a process that has ended and whose parent, by then the machine's init, has
// yet to look.
func zombie(proc string) bool {
	raw, err := os.ReadFile(proc + "/status")
	return err != nil || strings.Contains(string(raw), "\nState:\tZ")
}

// processes lists those that belong to one of the states, or live in a PID namespace other
// than this one's; and the network namespaces that anyone is in.
func processes(t *testing.T, states []string) (procs, spaces []string) {
	t.Helper()
	others := otherInstances(t)
	found, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	pidSpace, _ := os.Readlink("/proc/self/ns/pid")
	for _, proc := range found {
		space, err := os.Readlink(proc + "/ns/pid")
		if err != nil || others[space] || zombie(proc) {
			continue
		}
		command, _ := os.ReadFile(proc + "/cmdline")
		text := strings.ReplaceAll(string(command), "\x00", " ")
		ours := slices.ContainsFunc(states, func(s string) bool { return strings.Contains(text, s) })
		if ours || space != pidSpace {
			procs = append(procs, fmt.Sprintf("%s %s", filepath.Base(proc), text))
		}
		if net, err := os.Readlink(proc + "/ns/net"); err == nil && !slices.Contains(spaces, net) {
			spaces = append(spaces, net)
		}
	}
	return procs, spaces
}

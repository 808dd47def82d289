package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// container is a memory cgroup of our own, as a kubelet would make one; of
// version 2, or of version 1 where that has the memory controller.
type container struct {
	dir string
	v2  bool
}

// newContainer makes one with a memory limit in bytes. It skips the test where
// that takes rights that the caller has not.
func newContainer(t *testing.T, limit int64) container {
	t.Helper()
	root, v2 := memoryHierarchy(t)
	c := container{dir: filepath.Join(root, fmt.Sprintf("tiny-cache-test-%d", os.Getpid())), v2: v2}
	err := os.Mkdir(c.dir, 0o755)
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) {
		t.Skipf("skipped: a memory limit needs the right to make cgroups: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the kernel takes a moment to notice that the last process is gone
		for range 100 {
			if os.Remove(c.dir) == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("%s cannot be removed", c.dir)
	})
	files := map[string]int64{"memory.max": limit, "memory.swap.max": 0}
	if !v2 {
		files = map[string]int64{"memory.limit_in_bytes": limit, "memory.swappiness": 0}
	}
	for name, value := range files {
		path := filepath.Join(c.dir, name)
		if _, err := os.Stat(path); err != nil && name != "memory.max" {
			continue // kernels without swap have no such file
		}
		if err := os.WriteFile(path, strconv.AppendInt(nil, value, 10), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func memoryHierarchy(t *testing.T) (root string, v2 bool) {
	t.Helper()
	const mount = "/sys/fs/cgroup"
	controllers, err := os.ReadFile(mount + "/cgroup.subtree_control")
	if err == nil && strings.Contains(string(controllers), "memory") {
		return mount, true
	}
	if _, err := os.Stat(mount + "/memory/memory.limit_in_bytes"); err == nil {
		return mount + "/memory", false
	}
	t.Skip("skipped: no memory cgroup below " + mount)
	return "", false
}

// command is a program that runs in the container from its first page on.
func (c container) command(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	enter := `echo $$ > "$0/cgroup.procs" && exec "$@"`
	return exec.CommandContext(t.Context(), "/bin/sh", append([]string{"-c", enter, c.dir, program}, args...)...)
}

// oomKills counts the processes killed for memory.
func (c container) oomKills(t *testing.T) int64 {
	t.Helper()
	if c.v2 {
		return field(t, filepath.Join(c.dir, "memory.events"), "oom_kill")
	}
	return field(t, filepath.Join(c.dir, "memory.oom_control"), "oom_kill")
}

// field reads a number that stands behind a name in a file of such lines.
func field(t *testing.T, file, name string) int64 {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				t.Fatalf("%s: %s is %q", file, name, f[1])
			}
			return n
		}
	}
	t.Fatalf("%s does not tell %s", file, name)
	return 0
}

package cgroups

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseMount(t *testing.T) {
	tests := map[string]struct {
		line    string
		want    string
		unified bool
		has     string
		none    bool
	}{
		"version 1":         {line: "cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0", want: "/sys/fs/cgroup/memory", has: "memory"},
		"two controllers":   {line: "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0", want: "/sys/fs/cgroup/cpu,cpuacct", has: "cpuacct"},
		"a named hierarchy": {line: "cgroup /sys/fs/cgroup/systemd cgroup rw,name=systemd 0 0", want: "/sys/fs/cgroup/systemd", has: "name=systemd"},
		"version 2":         {line: "cgroup2 /nowhere/unified cgroup2 rw,nsdelegate 0 0", want: "/nowhere/unified", unified: true},
		"something else":    {line: "tmpfs /sys/fs/cgroup tmpfs rw 0 0", none: true},
		"a broken line":     {line: "cgroup", none: true},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			h, ok := parseMount(tt.line)
			if ok == tt.none || h.path != tt.want || h.unified != tt.unified {
				t.Errorf("got %+v, %t", h, ok)
			}
			if tt.has != "" && !slices.Contains(h.controllers, tt.has) {
				t.Errorf("controllers %q lack %q", h.controllers, tt.has)
			}
		})
	}
}

// Plain directories behave as control groups do, but that their files have to be removed; a
// file thus plays a group that is still in use.
func TestRemoveTree(t *testing.T) {
	t.Run("from the leaves up", func(t *testing.T) {
		root := filepath.Join(t.TempDir(), "group")
		deep := filepath.Join(root, "kubepods", "burstable", "pod1", "container")
		if err := os.MkdirAll(deep, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := removeTree(t.Context(), root); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(root); !os.IsNotExist(err) {
			t.Errorf("the group is still there: %v", err)
		}
	})
	t.Run("nothing there", func(t *testing.T) {
		if err := removeTree(t.Context(), filepath.Join(t.TempDir(), "group")); err != nil {
			t.Error(err)
		}
	})
	t.Run("a group in use is waited for", func(t *testing.T) {
		root, user := busyGroup(t)
		time.AfterFunc(120*time.Millisecond, func() { _ = os.Remove(user) })
		if err := removeTree(t.Context(), root); err != nil {
			t.Error(err)
		}
	})
	t.Run("but not for ever, and named", func(t *testing.T) {
		root, _ := busyGroup(t)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if err := removeTree(ctx, root); err == nil || !strings.Contains(err.Error(), root) {
			t.Errorf("got %v", err)
		}
	})
}

func busyGroup(t *testing.T) (root, user string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "group")
	user = filepath.Join(root, "pod", "process")
	if err := os.MkdirAll(filepath.Dir(user), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(user, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return root, user
}

func TestInheritCPUs(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "group"), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, value := range map[string]string{"cpuset.cpus": "0-3\n", "cpuset.mems": "0\n"} {
		if err := os.WriteFile(filepath.Join(root, file), []byte(value), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := inheritCPUs(root, "group"); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(filepath.Join(root, "group", "cpuset.cpus")); string(got) != "0-3\n" {
		t.Errorf("got %q", got)
	}
}

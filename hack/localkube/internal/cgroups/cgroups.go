// Package cgroups makes and removes the one control group per hierarchy beneath which an
// instance's pods live. It never touches a group that it was not given the name of.
package cgroups

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// hierarchy is one mounted tree of control groups.
type hierarchy struct {
	path        string
	unified     bool
	controllers []string
}

// hierarchies reads the mounts of this process; several mounts of one tree count once each,
// which costs nothing.
func hierarchies() ([]hierarchy, error) {
	f, err := os.Open("/proc/self/mounts")
	if err != nil {
		return nil, fmt.Errorf("read the mounts: %w", err)
	}
	defer func() { _ = f.Close() }()
	var out []hierarchy
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if h, ok := parseMount(lines.Text()); ok {
			out = append(out, h)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the mounts: %w", err)
	}
	return out, nil
}

// parseMount reads a line "device path type options ...".
func parseMount(line string) (hierarchy, bool) {
	fields := strings.Fields(line)
	if len(fields) < 4 {
		return hierarchy{}, false
	}
	switch fields[2] {
	case "cgroup":
		return hierarchy{path: fields[1], controllers: strings.Split(fields[3], ",")}, true
	case "cgroup2":
		raw, _ := os.ReadFile(filepath.Join(fields[1], "cgroup.controllers"))
		return hierarchy{path: fields[1], unified: true, controllers: strings.Fields(string(raw))}, true
	default:
		return hierarchy{}, false
	}
}

// Missing lists those controllers that no hierarchy offers.
func Missing(controllers ...string) []string {
	trees, err := hierarchies()
	if err != nil {
		return controllers
	}
	return slices.DeleteFunc(slices.Clone(controllers), func(name string) bool {
		return slices.ContainsFunc(trees, func(h hierarchy) bool { return slices.Contains(h.controllers, name) })
	})
}

// Create makes the named group in every hierarchy; a kubelet wants its root to exist.
func Create(name string) error {
	trees, err := hierarchies()
	if err != nil {
		return err
	}
	for _, h := range trees {
		if h.unified {
			h.delegate()
		}
		if err := os.Mkdir(filepath.Join(h.path, name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("create the cgroup: %w", err)
		}
		if slices.Contains(h.controllers, "cpuset") && !h.unified {
			if err := inheritCPUs(h.path, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// delegate hands the controllers to the children of the root. One that can't be handed down
// is found missing by the kubelet, which names it.
func (h hierarchy) delegate() {
	for _, c := range h.controllers {
		_ = os.WriteFile(filepath.Join(h.path, "cgroup.subtree_control"), []byte("+"+c), 0o644)
	}
}

// inheritCPUs copies the parent's processors and memory nodes: a new cpuset of version 1 has
// none and takes no process.
func inheritCPUs(root, name string) error {
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		value, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return fmt.Errorf("read the machine's %s: %w", file, err)
		}
		if err := os.WriteFile(filepath.Join(root, name, file), value, 0o644); err != nil {
			return fmt.Errorf("set %s: %w", file, err)
		}
	}
	return nil
}

// Remove deletes the named group with all beneath it, in every hierarchy. A group empties only
// when the kernel has done with its last process, so it is tried until ctx ends.
func Remove(ctx context.Context, name string) error {
	trees, err := hierarchies()
	if err != nil {
		return err
	}
	for _, h := range trees {
		if err := removeTree(ctx, filepath.Join(h.path, name)); err != nil {
			return err
		}
	}
	return nil
}

func removeTree(ctx context.Context, root string) error {
	for {
		err := removeOnce(root)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("remove the cgroup %s: %w", root, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// removeOnce deletes from the leaves up. The files in a group are the kernel's and go with it.
func removeOnce(root string) error {
	var dirs []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && entry.IsDir() {
			dirs = append(dirs, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, dir := range slices.Backward(dirs) {
		if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// unlimitedV1 is the least value that stands for "no limit" in cgroup v1: the
// kernel writes the largest multiple of the page size, which depends on it.
const unlimitedV1 = 1 << 62

// ContainerLimit returns the memory limit in bytes that the kernel enforces on
// this process, read from the cgroup files below root (the file system's root,
// os.DirFS("/")); both cgroup v1 and v2. The tightest limit on the way from the
// process's own cgroup to the top counts. It reports false when there is none,
// and an error when a file that exists cannot be understood.
func ContainerLimit(root fs.FS) (limit int64, ok bool, err error) {
	v1, v2, err := cgroupPaths(root)
	if err != nil {
		return 0, false, err
	}
	candidates := append(
		upwards("sys/fs/cgroup", v2, "memory.max"),
		upwards("sys/fs/cgroup/memory", v1, "memory.limit_in_bytes")...)
	for _, name := range candidates {
		n, found, err := readLimit(root, name)
		if err != nil {
			return 0, false, err
		}
		if found && (!ok || n < limit) {
			limit, ok = n, true
		}
	}
	return limit, ok, nil
}

// cgroupPaths returns where this process stands in the memory hierarchies, as
// /proc/self/cgroup tells. In a container this is usually "/", since it has its
// own cgroup namespace; else the path may lie outside what is mounted, and the
// walk upwards ends at the mount's root, which is then the container's own.
func cgroupPaths(root fs.FS) (v1, v2 string, err error) {
	data, err := fs.ReadFile(root, "proc/self/cgroup")
	if errors.Is(err, fs.ErrNotExist) {
		return "/", "/", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("find own cgroup: %w", err)
	}
	v1, v2 = "/", "/"
	for line := range strings.Lines(string(data)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(fields) != 3 {
			continue
		}
		if fields[1] == "" {
			v2 = fields[2]
		}
		for controller := range strings.SplitSeq(fields[1], ",") {
			if controller == "memory" {
				v1 = fields[2]
			}
		}
	}
	return v1, v2, nil
}

// upwards lists file in dir and in every parent of dir up to mount.
func upwards(mount, dir, file string) []string {
	var names []string
	for dir = path.Clean("/" + dir); ; dir = path.Dir(dir) {
		names = append(names, path.Join(mount, dir, file))
		if dir == "/" {
			return names
		}
	}
}

func readLimit(root fs.FS, name string) (int64, bool, error) {
	data, err := fs.ReadFile(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("read memory limit: %w", err)
	}
	text := strings.TrimSpace(string(data))
	if text == "max" {
		return 0, false, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, false, fmt.Errorf("memory limit in /%s is %q, not a number of bytes: set the memory by flag", name, text)
	}
	return n, n < unlimitedV1, nil
}

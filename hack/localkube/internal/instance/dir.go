// Package instance owns the state directory: what lies where in it, who may change it, and
// which process is the instance. The directory is the whole truth about an instance; removing
// it last means that an interrupted removal can be taken up again.
package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Dir is the state directory of one instance.
type Dir struct {
	Name string
	Path string
}

// maxPath keeps unix sockets beneath the directory inside the kernel's limit of 108 bytes.
const maxPath = 80

var nameForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$`)

// NewDir checks a name and an optional path and makes the path absolute. It creates nothing.
func NewDir(name, path string) (Dir, error) {
	if !nameForm.MatchString(name) {
		return Dir{}, fmt.Errorf("--name %q: use 1 to 32 lower-case letters, digits and inner dashes", name)
	}
	if path == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return Dir{}, fmt.Errorf("no user cache directory (%w): give --state DIR", err)
		}
		path = filepath.Join(cache, "distributed-cache", "localkube", name)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return Dir{}, fmt.Errorf("--state %q: %w", path, err)
	}
	if len(path) > maxPath {
		return Dir{}, fmt.Errorf("--state %s: %d bytes long, at most %d fit the unix sockets beneath it; choose a shorter path", path, len(path), maxPath)
	}
	return Dir{Name: name, Path: path}, nil
}

// Join names a file of the instance.
func (d Dir) Join(parts ...string) string {
	return filepath.Join(append([]string{d.Path}, parts...)...)
}

// Kubeconfig is the administrator's kubeconfig.
func (d Dir) Kubeconfig() string { return d.Join("kubeconfig") }

// AuditLog is the log of all requests to the API server.
func (d Dir) AuditLog() string { return d.Join("audit.log") }

// Log is the log file of one component.
func (d Dir) Log(component string) string { return d.Join("logs", component+".log") }

// Socket is where the supervisor listens.
func (d Dir) Socket() string { return d.Join("supervisor.sock") }

// ContainerdSocket is where containerd listens, for the node and for the host.
func (d Dir) ContainerdSocket() string { return d.Join("containerd.sock") }

// Cgroup is the one cgroup (in each hierarchy) beneath which the instance's pods live. It
// carries a digest of the path, because two instances may share a name.
func (d Dir) Cgroup() string {
	sum := sha256.Sum256([]byte(d.Path))
	return "localkube-" + d.Name + "-" + hex.EncodeToString(sum[:4])
}

// Hides reports which of the directories that a node covers with private ones lies above the
// given path; "" if none does.
func Hides(path string, covered []string) string {
	for _, dir := range covered {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return dir
		}
	}
	return ""
}

// Remove deletes the directory. Only a directory that an instance made (it holds the state
// file, or nothing) is deleted, so that a mistaken --state costs no one their files.
func (d Dir) Remove() error {
	entries, err := os.ReadDir(d.Path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the state directory: %w", err)
	}
	if len(entries) > 0 && !d.owned() {
		return fmt.Errorf("%s is not a state directory of localkube (no %s in it): refusing to delete it", d.Path, lockName)
	}
	if err := os.RemoveAll(d.Path); err != nil {
		return fmt.Errorf("remove the state directory: %w", err)
	}
	return nil
}

func (d Dir) owned() bool {
	_, err := os.Stat(d.Join(lockName))
	return err == nil
}

// Empty deletes all that the directory holds but its lock.
func (d Dir) Empty() error {
	entries, err := os.ReadDir(d.Path)
	if err != nil {
		return fmt.Errorf("read the state directory: %w", err)
	}
	for _, entry := range entries {
		if entry.Name() == lockName {
			continue
		}
		if err := os.RemoveAll(d.Join(entry.Name())); err != nil {
			return fmt.Errorf("empty the state directory: %w", err)
		}
	}
	return nil
}

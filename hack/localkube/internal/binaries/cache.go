package binaries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/progress"
)

// cache is a directory of programs with a list of which pins each was made from.
type cache struct{ dir string }

type entry struct {
	Key    string `json:"key"`
	Source string `json:"source"`
}

const (
	manifestName = "manifest.json"
	tempPrefix   = ".new-"
)

func (c cache) manifest() map[string]entry {
	entries := map[string]entry{}
	raw, err := os.ReadFile(filepath.Join(c.dir, manifestName))
	if err == nil {
		// A damaged list only means that everything is made again.
		_ = json.Unmarshal(raw, &entries)
	}
	return entries
}

// path is where a program lies, or will.
func (c cache) path(name string) string { return filepath.Join(c.dir, name) }

func (c cache) has(name, key string) bool {
	if c.manifest()[name].Key != key {
		return false
	}
	info, err := os.Stat(c.path(name))
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// add moves a finished program in. The caller holds the lock.
func (c cache) add(name, key, source, file string) error {
	if err := os.Chmod(file, 0o755); err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	if err := os.Rename(file, c.path(name)); err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	entries := c.manifest()
	entries[name] = entry{Key: key, Source: source}
	raw, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	path := filepath.Join(c.dir, manifestName)
	if err := os.WriteFile(path+".tmp", raw, 0o644); err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	return os.Rename(path+".tmp", path)
}

// sweep removes what a builder that was killed left unfinished. The caller holds the lock.
func (c cache) sweep() {
	left, _ := filepath.Glob(filepath.Join(c.dir, tempPrefix+"*"))
	for _, dir := range left {
		_ = os.RemoveAll(dir)
	}
}

// lock makes the directory and waits for its lock; the function returned gives it up.
func (c cache) lock(ctx context.Context, out io.Writer) (func(), error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, fmt.Errorf("create the program cache: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(c.dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock the program cache: %w", err)
	}
	tryLock := func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
	if err := tryLock(); err == nil {
		return func() { _ = file.Close() }, nil
	}
	stop := progress.Report(out, "waiting for another localkube that fills "+c.dir)
	defer stop()
	for {
		err := tryLock()
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			_ = file.Close()
			return nil, fmt.Errorf("lock the program cache: %w", err)
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, fmt.Errorf("wait for the program cache: %w", ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}

package instance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const lockName = ".localkube"

// Lock is held by the one command that may change an instance.
type Lock struct{ file *os.File }

// Acquire creates the state directory if need be and waits for its lock. The lock file lives
// inside the directory and goes with it, so after locking it must still be the file that the
// path names: else the directory was removed meanwhile and the next round makes a new one.
func (d Dir) Acquire(ctx context.Context, notice io.Writer) (*Lock, error) {
	if err := d.claim(); err != nil {
		return nil, err
	}
	path := d.Join(lockName)
	for waited := false; ; waited = true {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if errors.Is(err, os.ErrNotExist) {
			if err := os.MkdirAll(d.Path, 0o700); err != nil {
				return nil, fmt.Errorf("create the state directory: %w", err)
			}
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("open the lock of %s: %w", d.Path, err)
		}
		if lockedAndCurrent(file, path) {
			return &Lock{file: file}, nil
		}
		_ = file.Close()
		if !waited {
			_, _ = fmt.Fprintf(notice, "waiting for another localkube command on %s\n", d.Path)
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the lock of %s: %w", d.Path, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// claim makes the directory, or makes sure that an existing one is ours to use.
func (d Dir) claim() error {
	if err := os.MkdirAll(filepath.Dir(d.Path), 0o700); err != nil {
		return fmt.Errorf("create the parent of the state directory: %w", err)
	}
	if err := os.Mkdir(d.Path, 0o700); err == nil {
		return nil
	} else if !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("create the state directory: %w", err)
	}
	entries, err := os.ReadDir(d.Path)
	if err != nil {
		return fmt.Errorf("read the state directory: %w", err)
	}
	if len(entries) > 0 && !d.owned() {
		return fmt.Errorf("--state %s holds files that are not localkube's: choose an empty or new directory", d.Path)
	}
	return nil
}

func lockedAndCurrent(file *os.File, path string) bool {
	if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false
	}
	held, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(held, named)
}

// File is the open lock. A child process that inherits it holds the lock as well, until it
// closes the file or ends.
func (l *Lock) File() *os.File { return l.file }

// Release gives the lock up.
func (l *Lock) Release() {
	_ = l.file.Close()
}

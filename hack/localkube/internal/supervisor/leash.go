package supervisor

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
)

// The leash ties a supervisor to the command that spawned it, until its first order. The
// command may be killed at any moment: then the supervisor ends by itself, and as it holds the
// instance's lock too, no other command can meet it before it has.
const (
	lockDescriptor  = 3
	leashDescriptor = 4
)

// leash returns the files that a supervisor inherits, in the order of their descriptors, and
// the end that this process keeps.
func leash(lock *instance.Lock) (inherited []*os.File, alive *os.File, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("make a pipe to the supervisor: %w", err)
	}
	return []*os.File{lock.File(), read}, write, nil
}

// leashed is the supervisor's side.
type leashed struct {
	lock *os.File
	// parted is closed when the spawning command has ended.
	parted chan struct{}
}

func takeLeash() (*leashed, error) {
	l := &leashed{lock: os.NewFile(lockDescriptor, "lock"), parted: make(chan struct{})}
	pipe := os.NewFile(leashDescriptor, "leash")
	for _, file := range []*os.File{l.lock, pipe} {
		if _, err := file.Stat(); err != nil {
			return nil, errors.New("a supervisor is started by `localkube up` only")
		}
		// Components inherit neither.
		unix.CloseOnExec(int(file.Fd()))
	}
	go func() {
		_, _ = io.Copy(io.Discard, pipe)
		close(l.parted)
	}()
	return l, nil
}

// slip lets the supervisor live on its own.
func (l *leashed) slip() {
	_ = l.lock.Close()
}

// Package cluster brings an instance up and takes it down. It decides the order of things and
// delegates each: the supervisor owns processes, the state directory remembers, and everything
// else only says what to run. Whatever a run that was cut short has left behind, Clean removes
// by what the state directory records.
package cluster

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/binaries"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/cgroups"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/network"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/supervisor"
)

// Options for Up.
type Options struct {
	Dir instance.Dir
	// Mode is empty for "real where possible, else kwok".
	Mode instance.Mode
	// KwokNodes is the number of fake nodes.
	KwokNodes int
	// Restart has components started again that end unasked.
	Restart bool
	// Programs resolves and, if need be, builds the programs.
	Programs func(ctx context.Context) (*binaries.Set, error)
	Out      io.Writer
}

// downTime bounds a graceful end before the supervisor is killed.
const downTime = 10 * time.Second

// Down ends the instance and removes all of it.
func Down(ctx context.Context, dir instance.Dir, out io.Writer) error {
	lock, err := dir.Acquire(ctx, out)
	if err != nil {
		return err
	}
	defer lock.Release()
	if err := Clean(ctx, dir); err != nil {
		return err
	}
	return dir.Remove()
}

// Clean ends the supervisor, if it still lives, and removes what outlives it on the machine.
// The caller holds the lock. It can be repeated.
func Clean(ctx context.Context, dir instance.Dir) error {
	process, err := dir.LoadSupervisor()
	if err != nil && !errors.Is(err, instance.ErrNoInstance) {
		return err
	}
	if process.Alive() {
		ask, cancel := context.WithTimeout(ctx, time.Second)
		err := supervisor.NewClient(dir.Socket()).Shutdown(ask)
		cancel()
		patience := downTime
		if err != nil {
			patience = 0
		}
		if err := supervisor.Terminate(ctx, process, patience); err != nil {
			return err
		}
	}
	if link, err := dir.LoadLink(); err == nil && process.ThisBoot() {
		if err := network.Disconnect(link.Name, link.Index); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 15*time.Second)
	defer cancel()
	return cgroups.Remove(ctx, dir.Cgroup())
}

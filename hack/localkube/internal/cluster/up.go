package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/debian"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/node"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/supervisor"
)

// Up brings the instance up, or says that it is.
func Up(ctx context.Context, o Options) error {
	lock, err := o.Dir.Acquire(ctx, o.Out)
	if err != nil {
		return err
	}
	defer lock.Release()
	done, err := o.resume(ctx)
	if err != nil || done {
		return err
	}
	programs, err := o.provide(ctx)
	if err != nil {
		return errors.Join(err, o.Dir.Remove())
	}
	start := time.Now()
	l := &launch{Options: o, lock: lock, programs: programs, start: start}
	if err := l.run(ctx); err != nil {
		o.say("failed after %s; removing what was started (its logs are kept until the next `up` or `down`)", time.Since(start).Round(time.Second))
		return errors.Join(err, Clean(context.WithoutCancel(ctx), o.Dir))
	}
	o.say("up after %.1fs: export KUBECONFIG=%s", time.Since(start).Seconds(), o.Dir.Kubeconfig())
	return nil
}

// provide settles the mode and brings what it takes from outside the instance.
func (o *Options) provide(ctx context.Context) (map[string]string, error) {
	set, err := o.Programs(ctx)
	if err != nil {
		return nil, err
	}
	if err := o.decide(ctx, set.Dir()); err != nil {
		return nil, err
	}
	programs, err := set.Ensure(ctx, o.programs())
	if err != nil || o.Mode != instance.ModeReal {
		return programs, err
	}
	if err := debian.Install(ctx, node.Tools(), o.Out); err != nil {
		return nil, err
	}
	node.LoadModules(ctx, o.Out)
	return programs, nil
}

// resume deals with what is there already: a living instance is left as it is, its stopped
// components started; the remains of a dead or half-started one are removed.
func (o Options) resume(ctx context.Context) (done bool, err error) {
	state, err := o.Dir.LoadState()
	if err != nil && !errors.Is(err, instance.ErrNoInstance) {
		return false, err
	}
	process, processErr := o.Dir.LoadSupervisor()
	if err == nil && processErr == nil && state.Ready && process.Alive() {
		if err := o.fits(state); err != nil {
			return true, err
		}
		err := o.restart(ctx, state)
		if err == nil || !process.EndsWithin(ctx, dying) {
			return true, err
		}
	}
	if processErr == nil {
		o.say("removing the remains of an earlier run that was cut short")
	}
	if err := Clean(ctx, o.Dir); err != nil {
		return false, err
	}
	return false, o.Dir.Empty()
}

// dying is how long a supervisor that does not answer may take to turn out to have been killed: a
// process that is on its way out is still listed, and so are all those that it takes along.
const dying = 5 * time.Second

// fits refuses to pass a different instance off as the one that was asked for.
func (o Options) fits(state instance.State) error {
	if o.Mode != "" && o.Mode != state.Mode {
		return fmt.Errorf("%q is up with --node %s, not %s: run `localkube down` first, or choose another --name", o.Dir.Name, state.Mode, o.Mode)
	}
	if o.KwokNodes > 0 && o.KwokNodes != state.KwokNodes {
		return fmt.Errorf("%q is up with --kwok-nodes %d, not %d: run `localkube down` first, or choose another --name", o.Dir.Name, state.KwokNodes, o.KwokNodes)
	}
	return nil
}

func (o Options) restart(ctx context.Context, state instance.State) error {
	client := supervisor.NewClient(o.Dir.Socket())
	list, err := client.Status(ctx)
	if err != nil {
		return err
	}
	var started []string
	for _, c := range list {
		if c.Running {
			continue
		}
		if err := client.Start(ctx, supervisor.Spec{Name: c.Name}); err != nil {
			return err
		}
		started = append(started, c.Name)
	}
	if len(started) > 0 {
		o.say("started again: %s", strings.Join(started, ", "))
		l := &launch{Options: o, client: client, start: time.Now()}
		l.Mode, l.KwokNodes = state.Mode, state.KwokNodes
		if err := l.awaitState(ctx, state); err != nil {
			return err
		}
	}
	o.say("already up since %s: export KUBECONFIG=%s", state.Started.Format(time.DateTime), o.Dir.Kubeconfig())
	return nil
}

// decide settles the mode, and says exactly why a real node is not possible.
func (o *Options) decide(ctx context.Context, bin string) error {
	defer o.decideFakes()
	if o.Mode == instance.ModeNone || o.Mode == instance.ModeKwok {
		return nil
	}
	obstacles := node.Obstacles(ctx, o.Dir.Path, bin)
	if len(obstacles) == 0 {
		o.Mode = instance.ModeReal
		return nil
	}
	why := strings.Join(obstacles, "; ")
	if o.Mode == instance.ModeReal {
		return fmt.Errorf("no real node is possible here: %s. With --node kwok pods are only played, with --node none there are no nodes", why)
	}
	o.say("no real node is possible here: %s. Falling back to --node kwok: pods are only played", why)
	o.Mode = instance.ModeKwok
	return nil
}

// decideFakes gives a cluster of fake nodes some.
func (o *Options) decideFakes() {
	if o.Mode == instance.ModeKwok && o.KwokNodes == 0 {
		o.KwokNodes = 3
	}
}

func (o Options) say(format string, args ...any) {
	_, _ = fmt.Fprintf(o.Out, format+"\n", args...)
}

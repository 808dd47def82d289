package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// children runs components and reaps every child of this process. As PID 1 it inherits the
// orphans of all others, so one loop waits for any child: os/exec, which waits for its own,
// would fight with it over the exits.
type children struct {
	logs    string
	env     []string
	restart bool

	// forks carries starts to one locked thread that lives as long as the process: the
	// parent-death signal of a child is tied to the thread that forked it.
	forks chan func()

	mu      sync.Mutex
	closing bool
	order   []string
	byID    map[string]*child
}

type child struct {
	spec   Spec
	status Status
	done   chan struct{}
}

func newChildren(logs string, env []string, restart bool) *children {
	c := &children{logs: logs, env: env, restart: restart, forks: make(chan func()), byID: map[string]*child{}}
	go func() {
		runtime.LockOSThread()
		for fork := range c.forks {
			fork()
		}
	}()
	return c
}

// start runs spec, or what the name last ran when spec has no path.
func (c *children) start(spec Spec) error {
	result := make(chan error)
	c.forks <- func() { result <- c.fork(spec) }
	return <-result
}

func (c *children) fork(spec Spec) error {
	// Held over the fork so that the reaper cannot meet an exit before its pid is known.
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return errors.New("shutting down")
	}
	known := c.byID[spec.Name]
	if known != nil && known.status.Running {
		return fmt.Errorf("%s already runs", spec.Name)
	}
	if spec.Path == "" {
		if known == nil {
			return c.unknown(spec.Name)
		}
		spec = known.spec
	}
	log, err := os.OpenFile(filepath.Join(c.logs, spec.Name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open the log of %s: %w", spec.Name, err)
	}
	defer func() { _ = log.Close() }()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return fmt.Errorf("start %s: %w", spec.Name, err)
	}
	defer func() { _ = null.Close() }()
	pid, err := syscall.ForkExec(spec.Path, append([]string{spec.Path}, spec.Args...), &syscall.ProcAttr{
		Env:   append(append([]string{}, c.env...), spec.Env...),
		Files: []uintptr{null.Fd(), log.Fd(), log.Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return fmt.Errorf("start %s (%s): %w", spec.Name, spec.Path, err)
	}
	if known == nil {
		c.order = append(c.order, spec.Name)
	}
	c.byID[spec.Name] = &child{
		spec:   spec,
		status: Status{Name: spec.Name, Running: true, Since: time.Now(), PID: pid},
		done:   make(chan struct{}),
	}
	return nil
}

// reap collects exits until ctx ends. SIGCHLD signals may merge, and the ticker covers one
// that came before anyone listened.
func (c *children) reap(ctx context.Context, exits <-chan os.Signal) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-exits:
		case <-tick.C:
		}
		c.collect()
	}
}

func (c *children) collect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WNOHANG, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		for _, ch := range c.byID {
			if ch.status.Running && ch.status.PID == pid {
				ch.status.Running, ch.status.Since, ch.status.Exit = false, time.Now(), describe(status)
				close(ch.done)
				if c.restart && !ch.status.Stopped {
					time.AfterFunc(restartDelay, func() { c.again(ch) })
				}
			}
		}
	}
}

// restartDelay keeps a component that can't live from taking the machine.
const restartDelay = time.Second

// again starts a component that ended by itself, unless someone was faster.
func (c *children) again(old *child) {
	if c.start(Spec{Name: old.spec.Name}) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byID[old.spec.Name].status.Restarts = old.status.Restarts + 1
}

func describe(status unix.WaitStatus) string {
	if status.Signaled() {
		return "killed by " + unix.SignalName(status.Signal())
	}
	return fmt.Sprintf("exit code %d", status.ExitStatus())
}

// stop ends one component: SIGTERM, the grace, SIGKILL.
func (c *children) stop(ctx context.Context, name string, grace time.Duration) error {
	c.mu.Lock()
	ch := c.byID[name]
	if ch == nil {
		defer c.mu.Unlock()
		return c.unknown(name)
	}
	if !ch.status.Running {
		c.mu.Unlock()
		return fmt.Errorf("%s does not run (%s)", name, ch.status.Exit)
	}
	ch.status.Stopped = true
	c.mu.Unlock()

	if grace > 0 {
		c.signal(ch, unix.SIGTERM)
		select {
		case <-ch.done:
			return nil
		case <-ctx.Done():
		case <-time.After(grace):
		}
	}
	c.signal(ch, unix.SIGKILL)
	select {
	case <-ch.done:
		return nil
	case <-time.After(5 * time.Second):
		return fmt.Errorf("%s does not end, not even killed", name)
	}
}

// signal reaches the child only while it is not reaped, so that its pid cannot be another's.
func (c *children) signal(ch *child, sig unix.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch.status.Running {
		_ = unix.Kill(ch.status.PID, sig)
	}
}

func (c *children) list() []Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]Status, 0, len(c.order))
	for _, name := range c.order {
		out = append(out, c.byID[name].status)
	}
	return out
}

// unknown needs the lock held.
func (c *children) unknown(name string) error {
	return fmt.Errorf("no component %q here: there is %s", name, strings.Join(c.order, ", "))
}

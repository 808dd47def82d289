package supervisor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
)

// CommandName is the hidden command by which the program runs itself as a supervisor.
const CommandName = "supervise"

// Options of a supervisor.
type Options struct {
	// Isolated gives it namespaces of its own, as a real node needs.
	Isolated bool
	// Restart starts a component again that has ended unasked, as a real cluster's are. Without,
	// it stays down and is seen to be.
	Restart bool
}

const namespaces = unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWNET

// Spawn starts the supervisor of an instance, detached from this process, and waits until it
// answers.
func Spawn(ctx context.Context, dir instance.Dir, lock *instance.Lock, o Options) (*Client, error) {
	for _, sub := range []string{"logs", "tmp", "bin"} {
		if err := os.MkdirAll(dir.Join(sub), 0o755); err != nil {
			return nil, fmt.Errorf("create the state directory: %w", err)
		}
	}
	log, err := os.OpenFile(dir.Log("supervisor"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the supervisor's log: %w", err)
	}
	defer func() { _ = log.Close() }()

	inherited, alive, err := leash(lock)
	if err != nil {
		return nil, err
	}
	defer func() { _ = inherited[1].Close() }()
	// Not bound to ctx: it must outlive this command.
	cmd := exec.Command("/proc/self/exe", CommandName, "--name", dir.Name, "--state", dir.Path) //nolint:noctx // it outlives its caller
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Dir = "/"
	cmd.ExtraFiles = inherited
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if o.Restart {
		cmd.Args = append(cmd.Args, "--restart")
	}
	if o.Isolated {
		cmd.Args = append(cmd.Args, "--isolated")
		cmd.SysProcAttr.Cloneflags = namespaces
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the supervisor: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, fmt.Errorf("see %s", log.Name()))
	defer cancel()
	answered := make(chan error, 1)
	client := NewClient(dir.Socket())
	client.alive = alive
	go func() { answered <- client.Await(ctx) }()
	select {
	case err := <-answered:
		return client, err
	case err := <-ended:
		return nil, fmt.Errorf("the supervisor ended at once (%w): see %s", err, log.Name())
	}
}

// Terminate kills a supervisor that did not end when asked, and waits until it is gone. The
// kernel then ends all that ran beneath it.
func Terminate(ctx context.Context, p instance.Process, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	killed := false
	for p.Alive() {
		if !killed && (time.Now().After(deadline) || ctx.Err() != nil) {
			if err := unix.Kill(p.PID, unix.SIGKILL); err != nil {
				return fmt.Errorf("kill the supervisor (pid %d): %w", p.PID, err)
			}
			killed, deadline = true, time.Now().Add(10*time.Second)
		}
		if killed && time.Now().After(deadline) {
			return fmt.Errorf("the supervisor (pid %d) does not end, not even killed", p.PID)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil
}

// Probe reports whether this process may create the namespaces that a real node needs.
func Probe(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: namespaces}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("create network, mount and PID namespaces: %w", err)
	}
	return nil
}

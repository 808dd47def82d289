package cli

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
)

func newExec(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "exec -- CMD [ARG...]",
		Short: "Run a command inside the instance's network, with this machine's files",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("localkube exec takes a command, for example: localkube exec -- ip addr")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			dir, process, err := living(f)
			if err != nil {
				return err
			}
			state, err := dir.LoadState()
			if err != nil {
				return err
			}
			program, err := exec.LookPath(args[0])
			if err != nil {
				return usage("command: %w", err)
			}
			if state.Mode == instance.ModeReal {
				if err := enterNetwork(process.PID); err != nil {
					return err
				}
			}
			// Becomes the command, so that signals and the exit code are its own.
			return fmt.Errorf("run %s: %w", program, syscall.Exec(program, args, os.Environ()))
		},
	}
}

// enterNetwork moves the calling thread, and with it what is executed from it.
func enterNetwork(pid int) error {
	runtime.LockOSThread()
	path := "/proc/" + strconv.Itoa(pid) + "/ns/net"
	space, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the network namespace: %w", err)
	}
	defer func() { _ = space.Close() }()
	if err := unix.Setns(int(space.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("enter the network namespace: %w", err)
	}
	return nil
}

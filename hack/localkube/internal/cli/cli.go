// Package cli is the command line: it reads flags, refuses what makes no sense with one line
// that says what would, and hands on. Exit code 2 means the caller's mistake, 1 a failure.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
)

// usageError is a mistake of the caller's.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usage(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// exitError carries the exit code of a program that was run on the caller's behalf.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// Main runs a command line and returns the exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var exit exitError
	var mistake usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &mistake) || strings.HasPrefix(err.Error(), "unknown command"):
		_, _ = fmt.Fprintf(stderr, "localkube: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		return 2
	default:
		_, _ = fmt.Fprintf(stderr, "localkube: %v\n", err)
		return 1
	}
}

// flags that every command has.
type flags struct {
	name, state string
}

func (f *flags) dir() (instance.Dir, error) {
	dir, err := instance.NewDir(f.name, f.state)
	if err != nil {
		return instance.Dir{}, usageError{err}
	}
	return dir, nil
}

func newRoot() *cobra.Command {
	f := &flags{}
	root := &cobra.Command{
		Use:           "localkube",
		Short:         "A real one-node Kubernetes on this machine, without a container engine",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().StringVar(&f.name, "name", "default", "name of the instance")
	root.PersistentFlags().StringVar(&f.state, "state", "", "state directory (default <user cache>/distributed-cache/localkube/<name>)")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w (see %s --help)", err, cmd.CommandPath())
	})
	root.AddCommand(
		newUp(f), newDown(f), newStatus(f), newBuild(), newLoad(f), newImage(), newKubeconfig(f),
		newStart(f), newStop(f), newLogs(f), newExec(f), newSupervise(f),
	)
	return root
}

// exactly is cobra's argument check with a message that says what is expected.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		if len(names) == 0 {
			return usage("%s takes no arguments, got %q", cmd.CommandPath(), args)
		}
		return usage("%s takes %s, got %d arguments (usage: %s)", cmd.CommandPath(), strings.Join(names, " and "), len(args), cmd.UseLine())
	}
}

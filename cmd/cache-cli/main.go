// Command cache-cli is the reference client of a DistributedCache and a friend of those who run
// one. Named kubectl-dcache it is a plugin of kubectl.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/term"
)

// version is set by the linker.
var version = "dev"

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
	exitNo     = 3
)

// usageError is an error of the command line rather than of the work.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func wrongUse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitError ends the program with a code: the question was answered, and the answer is not yes.
type exitError int

func (c exitError) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// errNo is the plain no.
const errNo = exitError(exitNo)

// streams are what the program reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	// terminal says that out is read by a human: colours, and a line end after a raw value.
	terminal bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	s := streams{os.Stdin, os.Stdout, os.Stderr, term.IsTerminal(int(os.Stdout.Fd()))}
	code := run(ctx, calledAs(os.Args[0]), os.Args[1:], s)
	stop()
	os.Exit(code)
}

// calledAs is how the user types the program's name.
func calledAs(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".exe")
	if plugin, ok := strings.CutPrefix(name, "kubectl-"); ok {
		return "kubectl " + plugin
	}
	return "cache-cli"
}

func run(ctx context.Context, name string, args []string, s streams) int {
	root := newRoot(name, s)
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	cmd, err := root.ExecuteContextC(ctx)
	var usage usageError
	var no exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &no):
		return int(no)
	case errors.As(err, &usage):
		fmt.Fprintf(s.err, "%s: %v; see %s --help\n", name, err, cmd.CommandPath())
		return exitUsage
	default:
		fmt.Fprintf(s.err, "%s: %v\n", name, err)
		return exitFailed
	}
}

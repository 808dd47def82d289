// Command manager is the operator.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"
)

// Exit codes.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o := defaults()
	err := o.parse(args, stdout)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "manager: %v; see manager --help\n", err)
		return exitUsage
	case o.version:
		fmt.Fprintln(stdout, version)
		return 0
	}
	config, err := o.restConfig()
	if err != nil {
		fmt.Fprintf(stderr, "manager: %v\n", err)
		return exitUsage
	}
	if err := start(ctx, config, o); err != nil {
		fmt.Fprintf(stderr, "manager: %v\n", err)
		return exitFailed
	}
	return 0
}

// Command tiny-cache serves a bounded in-memory cache over HTTP: pkg/cache
// behind pkg/cacheserver. It writes no files and needs no privileges.
//
// On SIGTERM or SIGINT it serves on for --drain-grace, so that clients that
// still have it in their ring are served while they learn better, then closes
// connections politely within two seconds. A second signal ends it at once.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// version is set by the linker.
var version = "dev"

// Exit codes, by convention: 2 is the caller's mistake.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	os.Exit(start(os.Args[1:], signals))
}

func start(args []string, signals <-chan os.Signal) int {
	o, err := parseOptions(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(os.Stdout, usage())
		return 0
	case err != nil:
		fmt.Fprintf(os.Stderr, "tiny-cache: %v (see tiny-cache --help)\n", err)
		return exitUsage
	case o.version:
		fmt.Fprintf(os.Stdout, "tiny-cache %s\n", version)
		return 0
	}
	err = run(o, signals, os.DirFS("/"), os.Stderr)
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(os.Stderr, "tiny-cache: %v\n", err)
		return exitUsage
	case err != nil:
		fmt.Fprintf(os.Stderr, "tiny-cache: %v\n", err)
		return exitFailed
	}
	return 0
}

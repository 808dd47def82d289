//go:build linux

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	commands := map[string]func(context.Context, options) error{
		"cache": benchCache, "hit-ratio": benchHitRatio, "memory": benchMemory,
	}
	name := strings.Join(args[:min(1, len(args))], "")
	command := commands[name]
	if command == nil {
		return fmt.Errorf("command %q: give cache, hit-ratio or memory", name)
	}
	var o options
	f := flag.NewFlagSet("bench "+name, flag.ContinueOnError)
	f.StringVar(&o.tinyCache, "tiny-cache", "bin/tiny-cache", "the `program` under test")
	f.IntVar(&o.serverCore, "server-core", 0, "`core` of the servers")
	f.IntVar(&o.loadCore, "load-core", 1, "`core` of the load generator")
	f.IntVar(&o.rounds, "rounds", 5, "`number` of interleaved rounds of cache and memory")
	f.DurationVar(&o.duration, "duration", defaultDuration, "`time` of one measurement of cache")
	f.Float64Var(&o.scale, "scale", 1, "`factor` on the number of requests of hit-ratio and of entries of memory")
	f.StringVar(&o.only, "only", "", "part of the `name` of the workloads to run; empty: all")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	if err := o.validate(); err != nil {
		return err
	}
	return command(ctx, o)
}

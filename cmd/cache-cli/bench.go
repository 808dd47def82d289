package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
)

func newBench(t *target, s streams) *cobra.Command {
	var (
		keys  keyFlags
		reach reach
		form  output
		load  workload
		quiet bool
	)
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure a cache from here: requests a second, and how long they take",
		Long: `Measure a cache from here: workers send one request after the other, reads and writes of the same
keys, through the client library. The keys begin with dcache-bench- and expire by themselves.

Run it in a pod: from outside of the cluster it measures the way through the API server.`,
		GroupID: groupKeys,
		Args:    argsOf(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := load.check(); err != nil {
				return err
			}
			if err := reach.check(); err != nil {
				return err
			}
			opening, cancel := context.WithTimeout(cmd.Context(), reach.timeout)
			defer cancel()
			v, err := t.open(opening, &reach, &keys, s)
			if err != nil {
				return err
			}
			defer v.close()
			progress := func(time.Duration, int64) {}
			if s.terminal && !quiet {
				progress = func(left time.Duration, requests int64) {
					fmt.Fprintf(s.err, "\r%3.0f s left, %d requests ", left.Seconds(), requests)
				}
			}
			r, err := load.run(cmd.Context(), v, progress)
			if err != nil {
				return err
			}
			if s.terminal && !quiet {
				fmt.Fprint(s.err, "\r")
			}
			return form.write(s.out, r, func(w io.Writer) error { return r.describe(w) })
		},
	}
	keys.addFlags(cmd, t)
	reach.addFlags(cmd)
	form.addFlag(cmd)
	f := cmd.Flags()
	f.IntVar(&load.workers, "connections", 16, "workers, each with a request under way")
	f.DurationVar(&load.duration, "duration", 10*time.Second, "how long to measure")
	f.IntVar(&load.keys, "keys", 10_000, "how many keys are read and written")
	f.IntVar(&load.size, "size", 100, "bytes of a value")
	f.Float64Var(&load.reads, "reads", 0.9, "part of the requests that read, 0 to 1")
	f.BoolVarP(&quiet, "quiet", "q", false, "show no progress")
	return cmd
}

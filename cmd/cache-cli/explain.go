package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sk1-services/distributed-cache/pkg/explain"
	"github.com/sk1-services/distributed-cache/pkg/explain/collect"
)

func newExplain(t *target, s streams) *cobra.Command {
	var (
		form    output
		color   string
		options explain.Options
		text    explain.TextOptions
	)
	cmd := &cobra.Command{
		Use:   "explain NAME",
		Short: "Say how a cache is, and why: conditions, ring, pods, drains, events, what comes next",
		Long: `Say how a cache is, and why: its conditions and what to do about them, the ring and who is missing
in it, every pod's state, a drain in progress with the time that is left, what the operator does
next, and the last events. To get the cache is the one right that it needs; what else may not be
read is named and left out.

Exit codes: 0 healthy; 3 a planned change is under way; 4 paused; 5 being deleted; 6 degraded;
7 unavailable; 8 not known; 1 and 2 as elsewhere.`,
		GroupID:           groupLook,
		Args:              argsOf("NAME"),
		ValidArgsFunction: t.completeCaches,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch color {
			case "auto":
				text.Color = s.terminal
			case "always", "never":
				text.Color = color == "always"
			default:
				return wrongUse("--color %s: auto, always or never", color)
			}
			e, err := t.explain(cmd.Context(), args[0], options)
			if err != nil {
				return err
			}
			if err := form.write(s.out, e, func(w io.Writer) error { return explain.Text(w, e, text) }); err != nil {
				return err
			}
			if code := e.Verdict.ExitCode(); code != 0 {
				return exitError(code)
			}
			return nil
		},
	}
	form.addFlag(cmd)
	f := cmd.Flags()
	f.StringVar(&color, "color", "auto", "colours: auto, always or never")
	f.IntVar(&options.Events, "events", explain.DefaultEvents, "how many events are listed; less than 0, none")
	f.IntVar(&text.Pods, "pods", explain.DefaultPods, "how many pods are listed, the troubled ones first")
	return cmd
}

func (t *target) explain(ctx context.Context, name string, o explain.Options) (*explain.Explanation, error) {
	c, err := t.connect()
	if err != nil {
		return nil, err
	}
	facts, err := collect.Facts(ctx, c.objects, types.NamespacedName{Namespace: c.namespace, Name: name})
	if err != nil {
		return nil, fmt.Errorf("explain %s: %w", name, err)
	}
	return explain.Explain(facts, time.Now(), o), nil
}

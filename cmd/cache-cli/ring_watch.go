package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
)

func newRingWatch(t *target, s streams) *cobra.Command {
	var (
		form    output
		timeout time.Duration
	)
	cmd := &cobra.Command{
		Use:   "watch NAME",
		Short: "Print every new ring of a cache as it is published",
		Long: `Print every new ring of a cache as it is published, from the present one on: a line each, or
a document each with -o json or -o yaml. It goes on through outages of the API server.`,
		Args:              argsOf("NAME"),
		ValidArgsFunction: t.completeCaches,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			if timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, timeout)
				defer cancel()
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			return c.watch(ctx, args[0], form, s)
		},
	}
	form.addFlag(cmd)
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "end after so long; 0, at an interrupt")
	return cmd
}

func (c *cluster) watch(ctx context.Context, name string, form output, s streams) error {
	namespace, err := c.home(ctx, name)
	if err != nil {
		return err
	}
	var last publication
	var failed error
	err = c.source(namespace, name, s).Run(ctx, func(snapshot cacheclient.Snapshot) {
		next := published(name, namespace, snapshot)
		if next.OwnerUID == last.OwnerUID && next.Version <= last.Version {
			return
		}
		failed = errors.Join(failed, next.print(last, form, s))
		last = next
	})
	return errors.Join(err, failed)
}

// print writes a ring as one of many: a line, or a document that ends by itself.
func (p publication) print(last publication, form output, s streams) error {
	switch form {
	case jsonForm:
		return json.NewEncoder(s.out).Encode(p)
	case yamlForm:
		fmt.Fprintln(s.out, "---")
		return form.write(s.out, p, nil)
	case human:
	}
	what := fmt.Sprintf("%d members", len(p.Members))
	if last.Version > 0 {
		d, err := compare(last, p)
		if err != nil {
			return err
		}
		what += ": " + d.line()
		if d.Another {
			what += "; the cache was recreated"
		}
	}
	_, err := fmt.Fprintf(s.out, "%s  version %d, %s\n", time.Now().Format(time.TimeOnly), p.Version, what)
	return err
}

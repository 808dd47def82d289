package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
)

// sampleKeys are what the demo routes.
var sampleKeys = []string{"foo", "bar", "baz", "user-1234", "session-abcd", "orders-99"}

const demoTTL = 5 * time.Minute

func newDemo(t *target, s streams) *cobra.Command {
	var (
		keys  keyFlags
		reach reach
	)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Route sample keys, write each through its owner and read it back",
		Long: `Route sample keys by the ring of a cache, write each through the member that owns it and
read it back. config/samples/cli-job.yaml is a Job that does, with the rights it needs.`,
		GroupID: groupKeys,
		Args:    argsOf(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := reach.check(); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), reach.timeout)
			defer cancel()
			v, err := t.open(ctx, &reach, &keys, s)
			if err != nil {
				return err
			}
			defer v.close()
			snapshot, _ := v.Ring()
			fmt.Fprintf(s.out, "ring version  %d\nservice       %s\nmembers       %s\n\n",
				snapshot.Ring.Version, v.service(), strings.Join(snapshot.Ring.Members, " "))
			return roundTrips(ctx, v.Client, s.out)
		},
	}
	keys.addFlags(cmd, t)
	reach.addFlags(cmd)
	return cmd
}

func roundTrips(ctx context.Context, client *cacheclient.Client, out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tOWNER\tWRITTEN\tREAD BACK")
	var failed []error
	for _, key := range sampleKeys {
		owner, err := client.Owner([]byte(key))
		if err != nil {
			return err
		}
		value := fmt.Sprintf("value of %s at %s", key, time.Now().UTC().Format(time.RFC3339Nano))
		stored, err := client.Set(ctx, []byte(key), []byte(value), demoTTL)
		if err != nil {
			return fmt.Errorf("write %s through %s: %w", key, owner, err)
		}
		got, found, err := client.Get(ctx, []byte(key))
		if err != nil {
			return fmt.Errorf("read %s through %s: %w", key, owner, err)
		}
		same := found && string(got) == value
		fmt.Fprintf(table, "%s\t%s\t%t\t%t\n", key, owner, stored, same)
		if !same {
			failed = append(failed, fmt.Errorf("%s was not read back from %s", key, owner))
		}
	}
	return errors.Join(table.Flush(), errors.Join(failed...))
}

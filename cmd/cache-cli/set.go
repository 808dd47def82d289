package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

// maxValue bounds what set reads: no tiny-cache takes a larger value.
const maxValue = 128 << 20

func newSet(t *target, s streams) *cobra.Command {
	var (
		keys  keyFlags
		reach reach
		ttl   time.Duration
		file  string
	)
	cmd := &cobra.Command{
		Use:   "set KEY [VALUE]",
		Short: "Store a value under a key",
		Long: `Store a value under a key: the argument's bytes, or those of a file or of standard input.
Exit code 3: the owner could not be reached, and the value was dropped.`,
		Example: `  set --cache orders-cache user-1234 hello --ttl 5m
  set --cache orders-cache logo --file logo.png`,
		GroupID: groupKeys,
		Args: func(cmd *cobra.Command, args []string) error {
			if file != "" {
				return argsOf("KEY")(cmd, args)
			}
			return argsOf("KEY", "VALUE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if ttl < 0 {
				return wrongUse("--ttl %s: 0 or more", ttl)
			}
			value := []byte(args[len(args)-1])
			if file != "" {
				var err error
				if value, err = readFile(file, s.in, maxValue+1); err != nil {
					return err
				}
			}
			return t.onKey(cmd.Context(), &reach, &keys, args[0], s, func(ctx context.Context, v *session, key []byte) error {
				return set(ctx, v, key, value, ttl, s)
			})
		},
	}
	keys.addFlags(cmd, t)
	keys.addEncoding(cmd)
	reach.addFlags(cmd)
	cmd.Flags().DurationVar(&ttl, "ttl", 0, "how long it stays, in whole seconds; 0, until it is evicted")
	cmd.Flags().StringVarP(&file, "file", "f", "", "read the value from a file, - for standard input")
	return cmd
}

func set(ctx context.Context, v *session, key, value []byte, ttl time.Duration, s streams) error {
	owner, err := v.Owner(key)
	if err != nil {
		return err
	}
	kept, err := v.Set(ctx, key, value, ttl)
	if err != nil {
		return err
	}
	if !kept {
		fmt.Fprintf(s.err, "dropped: %s could not be reached\n", owner)
		return errNo
	}
	fmt.Fprintf(s.out, "stored by %s\n", owner)
	return nil
}

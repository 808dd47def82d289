package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func newDel(t *target, s streams) *cobra.Command {
	var (
		keys  keyFlags
		reach reach
	)
	cmd := &cobra.Command{
		Use:     "del KEY",
		Aliases: []string{"delete"},
		Short:   "Remove a key",
		Long:    "Remove a key. Exit code 3: it was not cached, or its owner could not be reached.",
		GroupID: groupKeys,
		Args:    argsOf("KEY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.onKey(cmd.Context(), &reach, &keys, args[0], s, func(ctx context.Context, v *session, key []byte) error {
				owner, err := v.Owner(key)
				if err != nil {
					return err
				}
				removed, err := v.Delete(ctx, key)
				switch {
				case err != nil:
					return err
				case !removed:
					fmt.Fprintf(s.err, "not cached by %s\n", owner)
					return errNo
				}
				fmt.Fprintf(s.out, "removed by %s\n", owner)
				return nil
			})
		},
	}
	keys.addFlags(cmd, t)
	keys.addEncoding(cmd)
	reach.addFlags(cmd)
	return cmd
}

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// stored is what a key held.
type stored struct {
	Key   blob   `json:"key"`
	Owner string `json:"owner"`
	Found bool   `json:"found"`
	Value *blob  `json:"value,omitempty"`
}

func newGet(t *target, s streams) *cobra.Command {
	var (
		keys  keyFlags
		reach reach
		form  output
	)
	cmd := &cobra.Command{
		Use:     "get KEY",
		Short:   "Print the value of a key, byte for byte",
		Long:    "Print the value of a key, byte for byte. Exit code 3: it is not cached, or its owner could not be reached.",
		GroupID: groupKeys,
		Args:    argsOf("KEY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.onKey(cmd.Context(), &reach, &keys, args[0], s, func(ctx context.Context, v *session, key []byte) error {
				return get(ctx, v, key, form, s)
			})
		},
	}
	keys.addFlags(cmd, t)
	keys.addEncoding(cmd)
	reach.addFlags(cmd)
	form.addFlag(cmd)
	return cmd
}

// onKey does something with a key of a cache.
func (t *target) onKey(ctx context.Context, r *reach, k *keyFlags, argument string, s streams, do func(context.Context, *session, []byte) error) error {
	if err := r.check(); err != nil {
		return err
	}
	key, err := k.key(argument)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	v, err := t.open(ctx, r, k, s)
	if err != nil {
		return err
	}
	defer v.close()
	return do(ctx, v, key)
}

func get(ctx context.Context, v *session, key []byte, form output, s streams) error {
	owner, err := v.Owner(key)
	if err != nil {
		return err
	}
	value, found, err := v.Get(ctx, key)
	if err != nil {
		return err
	}
	answer := stored{Key: newBlob(key), Owner: owner, Found: found}
	if found {
		b := newBlob(value)
		answer.Value = &b
	}
	err = form.write(s.out, answer, func(w io.Writer) error {
		if !found {
			fmt.Fprintf(s.err, "not cached by %s\n", owner)
			return nil
		}
		if s.terminal {
			value = append(value, '\n')
		}
		_, err := w.Write(value)
		return err
	})
	if err == nil && !found {
		return errNo
	}
	return err
}

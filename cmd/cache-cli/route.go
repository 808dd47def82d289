package main

import (
	"cmp"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// routed is where a key lives.
type routed struct {
	Key   blob   `json:"key"`
	Owner string `json:"owner"`
	shown string
}

func newRoute(t *target, s streams) *cobra.Command {
	var (
		keys keyFlags
		form output
		file string
	)
	cmd := &cobra.Command{
		Use:   "route KEY...",
		Short: "Show which member owns each key",
		Long: `Show which member owns each key. Nothing is asked of the members: the ring alone decides. With
--ring no cluster is needed.`,
		Example: `  route --cache orders-cache user-1234 session-abcd
  route --ring ring.json user-1234`,
		GroupID: groupKeys,
		Args:    oneOrMore("KEY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := t.ringOf(cmd.Context(), file, &keys, s.in)
			if err != nil {
				return err
			}
			answer, err := route(p, &keys, args)
			if err != nil {
				return err
			}
			return form.write(s.out, answer, func(w io.Writer) error {
				rows := [][]any{{"KEY", "OWNER"}}
				for _, r := range answer {
					rows = append(rows, []any{r.shown, cmp.Or(r.Owner, "nobody: the ring is empty")})
				}
				return table(w, rows...)
			})
		},
	}
	keys.addFlags(cmd, t)
	keys.addEncoding(cmd)
	form.addFlag(cmd)
	cmd.Flags().StringVar(&file, "ring", "", "file with a ring document, - for standard input; instead of a cache")
	return cmd
}

// ringOf reads the ring of a file, or of the cache that is meant.
func (t *target) ringOf(ctx context.Context, file string, k *keyFlags, in io.Reader) (publication, error) {
	if file != "" {
		if k.cache != "" {
			return publication{}, wrongUse("--ring and --cache: one of them")
		}
		return readRing(file, in)
	}
	c, err := t.connect()
	if err != nil {
		return publication{}, err
	}
	name, err := c.named(ctx, k.cache)
	if err != nil {
		return publication{}, err
	}
	return c.ring(ctx, name)
}

func route(p publication, k *keyFlags, arguments []string) ([]routed, error) {
	router, err := ring.NewRouter(p.Members)
	if err != nil {
		return nil, err
	}
	var answer []routed
	for _, argument := range arguments {
		key, err := k.key(argument)
		if err != nil {
			return nil, err
		}
		owner, _ := router.Locate(key)
		answer = append(answer, routed{newBlob(key), owner, argument})
	}
	return answer, nil
}

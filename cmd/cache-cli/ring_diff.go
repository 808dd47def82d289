package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// difference is what a client finds when it goes from one ring to another.
type difference struct {
	From    int64    `json:"from"`
	To      int64    `json:"to"`
	Joined  []string `json:"joined"`
	Left    []string `json:"left"`
	Moved   float64  `json:"movedShare"`
	Another bool     `json:"anotherCache"`
}

func compare(from, to publication) (difference, error) {
	part, err := moved(from.Members, to.Members)
	if err != nil {
		return difference{}, err
	}
	without := func(all, some []string) []string {
		return slices.DeleteFunc(append([]string{}, all...), func(m string) bool { return slices.Contains(some, m) })
	}
	return difference{
		From: from.Version, To: to.Version, Moved: part,
		Joined: without(to.Members, from.Members), Left: without(from.Members, to.Members),
		Another: from.OwnerUID != "" && to.OwnerUID != "" && from.OwnerUID != to.OwnerUID,
	}, nil
}

// line is the difference in a line.
func (d difference) line() string {
	var parts []string
	if len(d.Joined) > 0 {
		parts = append(parts, "+"+strings.Join(d.Joined, " +"))
	}
	if len(d.Left) > 0 {
		parts = append(parts, "-"+strings.Join(d.Left, " -"))
	}
	if len(parts) == 0 {
		return "the same members"
	}
	return fmt.Sprintf("%s, %s of the keys move", strings.Join(parts, " "), percent(d.Moved))
}

func (d difference) describe(w io.Writer) error {
	for _, m := range d.Left {
		fmt.Fprintln(w, "- "+m)
	}
	for _, m := range d.Joined {
		fmt.Fprintln(w, "+ "+m)
	}
	what := fmt.Sprintf("version %d to %d: %d joined, %d left, %s of the keys move", d.From, d.To, len(d.Joined), len(d.Left), percent(d.Moved))
	if d.Another {
		what += "; the cache was recreated in between, so all of them start cold"
	}
	_, err := fmt.Fprintln(w, what)
	return err
}

func newRingDiff(t *target, s streams) *cobra.Command {
	var (
		form     output
		replicas int
		without  []string
	)
	cmd := &cobra.Command{
		Use:   "diff RING [RING]",
		Short: "Compare two rings: who joined, who left, which part of the keys moves",
		Long: `Compare two rings: who joined, who left, which part of the keys moves.

` + ringArgument + `

With one RING and --replicas or --without, compare it with what it would become.`,
		Example: `  ring show orders-cache -o json > before.json; ring diff ./before.json orders-cache
  ring diff orders-cache --replicas 5
  ring diff orders-cache --without orders-cache-1`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return wrongUse("diff: one RING or two, have %d arguments", len(args))
			}
			return nil
		},
		ValidArgsFunction: t.completeCaches,
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := t.find(cmd.Context(), args[0], s.in)
			if err != nil {
				return err
			}
			to, imagined, err := imagine(from, cmd.Flags(), replicas, without)
			switch {
			case err != nil:
				return err
			case imagined == (len(args) == 2):
				return wrongUse("diff: compare with a second RING, or with --replicas or --without")
			case len(args) == 2:
				if to, err = t.find(cmd.Context(), args[1], s.in); err != nil {
					return err
				}
			}
			d, err := compare(from, to)
			if err != nil {
				return err
			}
			return form.write(s.out, d, d.describe)
		},
	}
	form.addFlag(cmd)
	cmd.Flags().IntVar(&replicas, "replicas", 0, "compare with the ring of so many members")
	cmd.Flags().StringSliceVar(&without, "without", nil, "compare with the ring without these members")
	return cmd
}

// maxReplicas bounds spec.replicas.
const maxReplicas = 1000

// imagine is the next ring of a cache that is scaled, or loses members.
func imagine(from publication, flags *pflag.FlagSet, replicas int, without []string) (to publication, imagined bool, err error) {
	to = from
	to.Version++
	if flags.Changed("replicas") {
		if replicas < 0 || replicas > maxReplicas {
			return to, true, wrongUse("--replicas %d: 0 to %d", replicas, maxReplicas)
		}
		if len(from.Members) == 0 {
			return to, true, wrongUse("--replicas: the ring has no member whose name would tell the cache's")
		}
		to.Members = []string{}
		name := from.Members[0][:strings.LastIndexByte(from.Members[0], '-')]
		for i := range replicas {
			to.Members = append(to.Members, v1alpha1.PodName(name, i))
		}
	}
	for _, m := range without {
		if !slices.Contains(to.Members, m) {
			return to, true, wrongUse("--without %s: the ring has no such member", m)
		}
	}
	to.Members = slices.DeleteFunc(slices.Clone(to.Members), func(m string) bool { return slices.Contains(without, m) })
	return to, flags.Changed("replicas") || len(without) > 0, nil
}

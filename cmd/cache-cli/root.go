package main

import (
	"strings"

	"github.com/spf13/cobra"
)

const rootHelp = `The reference client of a DistributedCache, and a friend of those who run one.

Is my cache healthy, and if not, why?        {name} explain orders-cache
Who is in its ring, and who owns a key?      {name} ring show orders-cache
                                             {name} route --cache orders-cache user-1234
What is stored under a key?                  {name} get --cache orders-cache user-1234
How fast is it from here?                    {name} bench --cache orders-cache
What would the operator apply for a file?    {name} render -f orders-cache.yaml

Without --cache the commands on keys take the only cache of the namespace. From outside of the
cluster they reach the members through the API server, as kubectl port-forward does.

Exit codes: 0 done; 1 it could not be done; 2 wrong use; 3 the answer is no, a key that is not cached
for example. explain has some more, for what a cache can be other than healthy.`

func newRoot(name string, s streams) *cobra.Command {
	root := &cobra.Command{
		Use:           strings.ReplaceAll(name, " ", "-"), // cobra takes the first word for the name
		Short:         "The reference client of a DistributedCache",
		Long:          strings.ReplaceAll(rootHelp, "{name}", name),
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: name},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return wrongUse("unknown command %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	t := &target{}
	t.addFlags(root.PersistentFlags())
	_ = root.RegisterFlagCompletionFunc("namespace", t.completeNamespaces)
	root.AddGroup(
		&cobra.Group{ID: groupLook, Title: "Look:"},
		&cobra.Group{ID: groupKeys, Title: "Keys:"},
	)
	root.AddCommand(
		newExplain(t, s), newRing(t, s), newRender(t, s),
		newRoute(t, s), newGet(t, s), newSet(t, s), newDel(t, s), newBench(t, s), newDemo(t, s),
	)
	return root
}

const (
	groupLook = "look"
	groupKeys = "keys"
)

// argsOf wants so many arguments, each named.
func argsOf(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return wrongUse("%s: %s is missing", cmd.Name(), names[len(args)])
		case len(args) > len(names):
			return wrongUse("%s: unexpected argument %q", cmd.Name(), args[len(names)])
		}
		return nil
	}
}

// oneOrMore wants arguments of a kind.
func oneOrMore(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return wrongUse("%s: %s is missing", cmd.Name(), name)
		}
		return nil
	}
}

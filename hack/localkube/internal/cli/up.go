package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/binaries"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/cluster"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/fakenode"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
)

// sources say where programs come from.
type sources struct{ components, bin string }

func (s *sources) addTo(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.components, "components", "", "directory of the pinned modules (default hack/localkube/components above the working directory)")
	cmd.Flags().StringVar(&s.bin, "bin", "", "directory that programs are kept in (default <user cache>/distributed-cache/bin/<hash of the pins>)")
}

func (s *sources) open(ctx context.Context, out io.Writer) (*binaries.Set, error) {
	components := s.components
	if components == "" {
		work, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("find the working directory: %w", err)
		}
		if components, err = binaries.FindComponents(work); err != nil {
			return nil, usageError{err}
		}
	}
	return binaries.Open(ctx, components, s.bin, out)
}

func newUp(f *flags) *cobra.Command {
	var s sources
	var nodes string
	var kwokNodes int
	var restart bool
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Bring an instance up, or say that it is",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := f.dir()
			if err != nil {
				return err
			}
			mode, err := parseMode(nodes, kwokNodes)
			if err != nil {
				return err
			}
			out := cmd.ErrOrStderr()
			return cluster.Up(cmd.Context(), cluster.Options{
				Dir: dir, Mode: mode, KwokNodes: kwokNodes, Restart: restart, Out: out,
				Programs: func(ctx context.Context) (*binaries.Set, error) { return s.open(ctx, out) },
			})
		},
	}
	s.addTo(cmd)
	cmd.Flags().StringVar(&nodes, "node", "auto", "real, kwok (played nodes), none (control plane only, no root needed) or auto (real where possible, else kwok)")
	cmd.Flags().IntVar(&kwokNodes, "kwok-nodes", 0, "number of played nodes; beside a real node they are tainted kwok.x-k8s.io/node=fake:NoSchedule")
	cmd.Flags().BoolVar(&restart, "restart", false, "start a component again that ends unasked; without, it stays down and status says so")
	return cmd
}

func parseMode(nodes string, kwokNodes int) (instance.Mode, error) {
	if kwokNodes < 0 || kwokNodes > fakenode.MaxNodes {
		return "", usage("--kwok-nodes %d: give 0 to %d", kwokNodes, fakenode.MaxNodes)
	}
	switch mode := instance.Mode(nodes); mode {
	case "auto":
		return "", nil
	case instance.ModeReal, instance.ModeKwok:
		return mode, nil
	case instance.ModeNone:
		if kwokNodes > 0 {
			return "", usage("--node none and --kwok-nodes %d exclude each other: use --node kwok", kwokNodes)
		}
		return mode, nil
	default:
		return "", usage("--node %q: use real, kwok, none or auto", nodes)
	}
}

func newDown(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "End an instance and remove all of it",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := f.dir()
			if err != nil {
				return err
			}
			if _, err := os.Stat(dir.Path); os.IsNotExist(err) {
				_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "nothing to do: there is no %s\n", dir.Path)
				return nil
			}
			if err := cluster.Down(cmd.Context(), dir, cmd.ErrOrStderr()); err != nil {
				return err
			}
			_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "down: %s is removed\n", dir.Path)
			return nil
		},
	}
}

func newBuild() *cobra.Command {
	var s sources
	var show string
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Fetch or build all programs, and print where they are kept",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			set, err := s.open(cmd.Context(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			names := binaries.Names()
			if show != "" {
				names = []string{show}
				if !binaries.Known(show) {
					return usage("--only %q: there is %v", show, binaries.Names())
				}
			}
			paths, err := set.Ensure(cmd.Context(), names)
			if err != nil {
				return err
			}
			if show != "" {
				_, _ = fmt.Fprintln(cmd.OutOrStdout(), paths[show])
				return nil
			}
			_, _ = fmt.Fprintln(cmd.OutOrStdout(), set.Dir())
			return nil
		},
	}
	s.addTo(cmd)
	cmd.Flags().StringVar(&show, "only", "", "bring this one program, and print its path")
	return cmd
}

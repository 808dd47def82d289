package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/cluster"
)

func newStatus(f *flags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show an instance; exit code 0 if it is healthy",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "" && output != "json" {
				return usage("-o %q: use json, or leave it out for a table", output)
			}
			dir, err := f.dir()
			if err != nil {
				return err
			}
			report, err := cluster.Inspect(cmd.Context(), dir)
			if err != nil {
				return err
			}
			if output == "json" {
				encoder := json.NewEncoder(cmd.OutOrStdout())
				encoder.SetIndent("", "  ")
				err = encoder.Encode(report)
			} else {
				err = printReport(cmd.OutOrStdout(), report)
			}
			if err == nil && !report.Healthy {
				return exitError(1)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "json for a machine-readable form")
	return cmd
}

func printReport(out io.Writer, r cluster.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format+"\n", args...) }
	row("COMPONENT\tPID\tSTATE\tFOR\tRSS\tLOG")
	for _, c := range r.Components {
		row("%s\t%s\t%s\t%s\t%s\t%s", c.Name, dash(c.PID), c.State, time.Duration(c.Seconds)*time.Second, megabytes(c.RSS), c.Log)
	}
	row("")
	for _, n := range r.Nodes {
		state := "Ready"
		if !n.Ready {
			state = "NotReady (" + n.Reason + ")"
		}
		row("node %s\t%s", n.Name, state)
	}
	if r.FakeNodes > 0 {
		row("fake nodes\t%d of %d ready", r.FakeReady, r.FakeNodes)
	}
	row("mode\t%s", r.Mode)
	row("API server\t%s", r.Server)
	row("kubeconfig\t%s", r.Kubeconfig)
	row("audit log\t%s", r.AuditLog)
	row("state\t%s", r.State)
	if !r.Healthy {
		row("UNHEALTHY\t%s", r.Problem)
	}
	return w.Flush()
}

func dash(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func megabytes(bytes uint64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%d MB", bytes/1e6)
}

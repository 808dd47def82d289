package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/supervisor"
)

// living finds the supervisor of an instance that is up.
func living(f *flags) (instance.Dir, instance.Process, error) {
	dir, err := f.dir()
	if err != nil {
		return dir, instance.Process{}, err
	}
	process, err := dir.LoadSupervisor()
	if err != nil {
		return dir, process, err
	}
	if !process.Alive() {
		return dir, process, fmt.Errorf("%q is not up (its supervisor, pid %d, has died): run `localkube up`", dir.Name, process.PID)
	}
	return dir, process, nil
}

func newStart(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "start COMPONENT",
		Short: "Start a component that was stopped",
		Args:  exactly("a component"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, _, err := living(f)
			if err != nil {
				return err
			}
			return supervisor.NewClient(dir.Socket()).Start(cmd.Context(), supervisor.Spec{Name: args[0]})
		},
	}
}

func newStop(f *flags) *cobra.Command {
	var grace time.Duration
	var kill bool
	cmd := &cobra.Command{
		Use:   "stop COMPONENT",
		Short: "Stop a component; nothing starts it again but `start` and `up`",
		Args:  exactly("a component"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if grace < 0 {
				return usage("--grace %s: give a time of 0 or more", grace)
			}
			dir, _, err := living(f)
			if err != nil {
				return err
			}
			if kill {
				grace = 0
			}
			return supervisor.NewClient(dir.Socket()).Stop(cmd.Context(), args[0], grace)
		},
	}
	cmd.Flags().DurationVar(&grace, "grace", 10*time.Second, "time between SIGTERM and SIGKILL")
	cmd.Flags().BoolVar(&kill, "kill", false, "SIGKILL at once, as in a crash")
	return cmd
}

func newLogs(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "logs COMPONENT",
		Short: "Print the log of a component (or of the supervisor)",
		Args:  exactly("a component"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := f.dir()
			if err != nil {
				return err
			}
			if args[0] != filepath.Base(args[0]) {
				return usage("component %q: give a name, not a path", args[0])
			}
			file, err := os.Open(dir.Log(args[0]))
			if os.IsNotExist(err) {
				return usage("no log of %q: there is %s", args[0], logNames(dir))
			}
			if err != nil {
				return fmt.Errorf("open the log: %w", err)
			}
			defer func() { _ = file.Close() }()
			_, err = io.Copy(cmd.OutOrStdout(), file)
			return err
		},
	}
}

func logNames(dir instance.Dir) string {
	files, _ := filepath.Glob(dir.Log("*"))
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".log")
	}
	if len(files) == 0 {
		return "none (run `localkube up`)"
	}
	return strings.Join(files, ", ")
}

func newKubeconfig(f *flags) *cobra.Command {
	var raw bool
	cmd := &cobra.Command{
		Use:   "kubeconfig",
		Short: "Print the path of the administrator's kubeconfig",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := f.dir()
			if err != nil {
				return err
			}
			if _, err := dir.LoadState(); err != nil {
				return err
			}
			if !raw {
				_, _ = fmt.Fprintln(cmd.OutOrStdout(), dir.Kubeconfig())
				return nil
			}
			text, err := os.ReadFile(dir.Kubeconfig())
			if err != nil {
				return fmt.Errorf("read the kubeconfig: %w", err)
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&raw, "raw", false, "print its content")
	return cmd
}

func newSupervise(f *flags) *cobra.Command {
	var o supervisor.Options
	cmd := &cobra.Command{
		Use:    supervisor.CommandName,
		Hidden: true,
		Args:   exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := f.dir()
			if err != nil {
				return err
			}
			return supervisor.Run(cmd.Context(), dir, o)
		},
	}
	cmd.Flags().BoolVar(&o.Isolated, "isolated", false, "running as PID 1 of new namespaces")
	cmd.Flags().BoolVar(&o.Restart, "restart", false, "start again what ends unasked")
	return cmd
}

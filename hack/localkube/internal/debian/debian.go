// Package debian installs the few programs that a real node takes from the machine. It only
// adds packages, only as root, and only where apt-get exists.
package debian

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/progress"
)

// Tool is something the node needs from the machine.
type Tool struct {
	Name    string
	Package string
	Present func() bool
}

// Missing are the tools that are not there.
func Missing(tools []Tool) []Tool {
	return slices.DeleteFunc(slices.Clone(tools), func(t Tool) bool { return t.Present() })
}

// Names of the tools, as a person calls them.
func Names(tools []Tool) []string {
	out := make([]string, 0, len(tools))
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

// Packages that bring the tools.
func Packages(tools []Tool) []string {
	out := make([]string, 0, len(tools))
	for _, t := range tools {
		out = append(out, t.Package)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// CanInstall reports whether Install has a chance.
func CanInstall() bool {
	_, err := exec.LookPath("apt-get")
	return err == nil && os.Geteuid() == 0
}

// Install brings the missing tools. The package lists are fetched only if the first try shows
// that they are needed.
func Install(ctx context.Context, tools []Tool, out io.Writer) error {
	missing := Missing(tools)
	if len(missing) == 0 {
		return nil
	}
	packages := Packages(missing)
	stop := progress.Report(out, "installing Debian packages: "+strings.Join(packages, " "))
	defer stop()
	install := append([]string{"install", "-y", "--no-install-recommends"}, packages...)
	if _, err := aptGet(ctx, install...); err == nil {
		return verify(tools)
	}
	if text, err := aptGet(ctx, "update"); err != nil {
		return fmt.Errorf("apt-get update: %w\n%s", err, tail(text))
	}
	if text, err := aptGet(ctx, install...); err != nil {
		return fmt.Errorf("apt-get install %s: %w\n%s", strings.Join(packages, " "), err, tail(text))
	}
	return verify(tools)
}

func verify(tools []Tool) error {
	if missing := Missing(tools); len(missing) > 0 {
		return fmt.Errorf("still missing after apt-get install: %s", strings.Join(Names(missing), ", "))
	}
	return nil
}

func aptGet(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "apt-get", args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-5):], "\n")
}

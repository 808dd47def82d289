package binaries

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/progress"
)

// build compiles a program into file. The flags are the same for all, so that they share what
// is compiled, with each other and with a project that uses the same versions.
func build(ctx context.Context, prog program, version, components, file string, out io.Writer) error {
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("%s can neither be downloaded nor built: there is no Go toolchain (%w)", prog.name, err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", file, "-ldflags", linkerFlags(prog, version), prog.pkg)
	cmd.Dir = filepath.Join(components, prog.component)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	start := time.Now()
	stop := progress.Report(out, fmt.Sprintf("%s: building %s", prog.name, strings.TrimSpace(prog.pkg+" "+version)))
	err := cmd.Run()
	stop()
	if err != nil {
		return fmt.Errorf("build %s: %w\n%s", prog.name, err, lastLines(text.String(), 20))
	}
	_, _ = fmt.Fprintf(out, "%s: built in %s\n", prog.name, time.Since(start).Round(time.Second))
	return nil
}

func linkerFlags(prog program, version string) string {
	flags := "-s -w"
	if prog.module != kubernetesModule {
		return flags
	}
	const variable = "k8s.io/component-base/version."
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	flags += " -X " + variable + "gitVersion=" + version
	if len(parts) == 3 {
		flags += " -X " + variable + "gitMajor=" + parts[0] + " -X " + variable + "gitMinor=" + parts[1]
	}
	return flags
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

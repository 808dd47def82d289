package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMistakes(t *testing.T) {
	state := filepath.Join(t.TempDir(), "s")
	tests := map[string]struct {
		args []string
		want string
		code int
	}{
		"no such command":          {[]string{"upp"}, `unknown command "upp"`, 2},
		"no such flag":             {[]string{"up", "--nodes", "real"}, "unknown flag: --nodes", 2},
		"no such mode":             {[]string{"up", "--node", "docker"}, "use real, kwok, none or auto", 2},
		"too many played nodes":    {[]string{"up", "--kwok-nodes", "1000000"}, "give 0 to", 2},
		"a negative number":        {[]string{"up", "--kwok-nodes", "-1"}, "give 0 to", 2},
		"not a number":             {[]string{"up", "--kwok-nodes", "x"}, "--kwok-nodes", 2},
		"modes that exclude":       {[]string{"up", "--node", "none", "--kwok-nodes", "1"}, "use --node kwok", 2},
		"a bad name":               {[]string{"up", "--name", "A/B"}, "lower-case letters", 2},
		"an argument too many":     {[]string{"down", "default"}, "takes no arguments", 2},
		"an argument missing":      {[]string{"stop"}, "takes a component", 2},
		"a negative grace":         {[]string{"stop", "etcd", "--grace", "-1s"}, "0 or more", 2},
		"a bad form":               {[]string{"status", "-o", "yaml"}, "use json", 2},
		"no command to execute":    {[]string{"exec"}, "localkube exec -- ip addr", 2},
		"an image without program": {[]string{"image", "a:1"}, "needs --binary PATH and -o", 2},
		"a program that is gone":   {[]string{"load", "a:1", "--binary", "/nowhere/a"}, "/nowhere/a", 2},
		"an archive that is gone":  {[]string{"load", "nowhere.tar"}, "with --binary PATH", 2},
		"a bad image name":         {[]string{"load", "A B", "--binary", "/bin/true"}, "image name", 2},
		"a path for a log":         {[]string{"logs", "../x"}, "not a path", 2},
		"no such program":          {[]string{"build", "--only", "docker"}, "kube-apiserver", 2},
		"status of nothing":        {[]string{"status"}, "localkube up", 1},
		"kubeconfig of nothing":    {[]string{"kubeconfig"}, "localkube up", 1},
		"stop in nothing":          {[]string{"stop", "etcd"}, "localkube up", 1},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			args := tt.args
			if !strings.Contains(strings.Join(args, " "), "--name") && args[0] != "build" && args[0] != "image" {
				args = append([]string{"--state", state}, args...)
			}
			code := Main(args, &stdout, &stderr)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			text := stderr.String()
			if !strings.Contains(text, tt.want) {
				t.Errorf("said %q, want %q in it", text, tt.want)
			}
			if strings.Count(text, "\n") != 1 {
				t.Errorf("not one line: %q", text)
			}
			if _, err := os.Stat(state); !os.IsNotExist(err) {
				t.Error("a mistake left a state directory")
			}
		})
	}
}

func TestDownOfNothing(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"--state", filepath.Join(t.TempDir(), "s"), "down"}, &stdout, &stderr); code != 0 {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
}

func TestImage(t *testing.T) {
	out := filepath.Join(t.TempDir(), "image.tar")
	var stdout, stderr bytes.Buffer
	// A program that is linked dynamically is refused, and nothing is written.
	code := Main([]string{"image", "a:1", "--binary", "/bin/true", "-o", out}, &stdout, &stderr)
	if code != 1 || !strings.Contains(stderr.String(), "CGO_ENABLED=0") {
		t.Errorf("exit code %d: %s", code, &stderr)
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Error("a refused image left a file")
	}
}

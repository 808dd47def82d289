package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The test binary doubles as the program: so also what libraries write to stderr is seen.
func TestMain(m *testing.M) {
	if args, ok := os.LookupEnv("CACHE_CLI_TEST_ARGS"); ok {
		os.Args = append(os.Args[:1], strings.Fields(args)...)
		main()
		return
	}
	os.Exit(m.Run())
}

// outside takes away every way to an API server that the environment may offer.
func outside(t *testing.T) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "missing"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
}

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkLine holds that stderr has one line of the program's, which says what is right.
func checkLine(t *testing.T, stderr, says string) {
	t.Helper()
	if strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") || !strings.HasPrefix(stderr, "cache-cli: ") || !strings.Contains(stderr, says) {
		t.Errorf("stderr is %q, want one line with %q", stderr, says)
	}
}

func TestWrongUseEndsWithOneLineAndTwo(t *testing.T) {
	outside(t)
	const help = "; see cache-cli --help"
	for _, tc := range []struct {
		name string
		args []string
		says string
	}{
		{"an unknown command", []string{"nonsense"}, `unknown command "nonsense"` + help},
		{"an unknown flag", []string{"--nonsense"}, "--nonsense" + help},
		{"an unknown flag of the demo", []string{"demo", "--nonsense"}, "--nonsense" + help},
		{"an argument of the demo", []string{"demo", "extra"}, `unexpected argument "extra": demo takes flags only` + help},
		{"no duration", []string{"demo", "--timeout", "soon"}, "--timeout"},
		{"a flag without its value", []string{"demo", "--cache"}, "flag needs an argument: --cache" + help},
		{"no way to the API server", []string{"demo"}, "run in a pod, or give --kubeconfig" + help},
		{"a kubeconfig that is missing", []string{"demo", "--kubeconfig", "/missing/config"}, "--kubeconfig: stat /missing/config: "},
		{"a kubeconfig that is a directory", []string{"demo", "--kubeconfig", t.TempDir()}, "is a directory"},
		{"a kubeconfig that is no YAML", []string{"demo", "--kubeconfig", file(t, "x: [")}, "yaml: line 1"},
		{"an empty kubeconfig", []string{"demo", "--kubeconfig", file(t, "")}, "no configuration has been provided"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), tc.args, &stdout, &stderr); code != exitUsage {
				t.Errorf("exit %d, want %d", code, exitUsage)
			}
			checkLine(t, stderr.String(), tc.says)
			if stdout.Len() > 0 {
				t.Errorf("stdout is %q", &stdout)
			}
		})
	}
}

func TestHelpAndVersion(t *testing.T) {
	for args, want := range map[string]string{
		"": "demo ", "--help": "demo ", "help": "demo ", "demo --help": "--cluster-domain", "--version": "cache-cli version " + version + "\n",
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(args), &stdout, &stderr)
		if code != 0 || stderr.Len() > 0 || !strings.Contains(stdout.String(), want) {
			t.Errorf("%q: exit %d, stdout %q, stderr %q", args, code, &stdout, &stderr)
		}
	}
}

func TestTheProcessEndsLikeRun(t *testing.T) {
	outside(t)
	for args, says := range map[string]string{"demo --nonsense": "unknown flag", "demo": "run in a pod, or give --kubeconfig"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "CACHE_CLI_TEST_ARGS="+args)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != exitUsage {
			t.Errorf("%q: %v, want exit %d", args, err, exitUsage)
		}
		checkLine(t, stderr.String(), says)
	}
}

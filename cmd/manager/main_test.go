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
	if args, ok := os.LookupEnv("MANAGER_TEST_ARGS"); ok {
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

// unreachable is a kubeconfig of a server that does not answer.
const unreachable = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
users: [{name: u, user: {}}]
`

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
	if strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") || !strings.HasPrefix(stderr, "manager: ") || !strings.Contains(stderr, says) {
		t.Errorf("stderr is %q, want one line with %q", stderr, says)
	}
}

func TestWrongUseEndsWithOneLineAndTwo(t *testing.T) {
	outside(t)
	const help = "see manager --help"
	for _, tc := range []struct {
		name string
		args []string
		says string
	}{
		{"an unknown flag", []string{"--nonsense"}, help},
		{"an argument", []string{"extra"}, `unexpected argument "extra": only flags are taken; ` + help},
		{"no number", []string{"--concurrency", "many"}, "--concurrency"},
		{"no caches at once", []string{"--concurrency", "0"}, "at least 1 is needed; " + help},
		{"a duration without a unit", []string{"--join-delay", "5"}, "missing unit"},
		{"a negative delay", []string{"--join-delay", "-1s"}, "durations of 0s or more are needed"},
		{"a negative window", []string{"--join-window", "-1s"}, "durations of 0s or more are needed"},
		{"a negative limit", []string{"--bootstrap-limit", "-1s"}, "durations of 0s or more are needed"},
		{"a delay that a rollout would run ahead of", []string{"--join-delay", "4s", "--join-window", "1001ms"}, "at most 5s"},
		{"no image", []string{"--cache-image", " "}, "for example ghcr.io/"},
		{"an image with a blank", []string{"--cache-image", "a b"}, "for example ghcr.io/"},
		{"no way to the API server", nil, "run in a pod, or give --kubeconfig"},
		{"a kubeconfig that is missing", []string{"--kubeconfig", "/missing/config"}, "--kubeconfig /missing/config: "},
		{"a kubeconfig that is a directory", []string{"--kubeconfig", t.TempDir()}, "is a directory"},
		{"a kubeconfig that is no YAML", []string{"--kubeconfig", file(t, "x: [")}, "yaml: line 1"},
		{"an empty kubeconfig", []string{"--kubeconfig", file(t, "")}, "no configuration has been provided"},
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

func TestFailureEndsWithOneLineAndOne(t *testing.T) {
	outside(t)
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--kubeconfig", file(t, unreachable)}, &stdout, &stderr); code != exitFailed {
		t.Errorf("exit %d, want %d", code, exitFailed)
	}
	checkLine(t, stderr.String(), "connection refused")
}

func TestHelpAndVersion(t *testing.T) {
	for flag, want := range map[string]string{"--help": "--concurrency", "-h": "--leader-elect", "--version": version + "\n"} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{flag}, &stdout, &stderr)
		if code != 0 || stderr.Len() > 0 || !strings.Contains(stdout.String(), want) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", flag, code, &stdout, &stderr)
		}
	}
}

func TestTheProcessEndsLikeRun(t *testing.T) {
	outside(t)
	for args, tc := range map[string]struct {
		code int
		says string
	}{
		"--nonsense":                           {exitUsage, "unknown flag"},
		"":                                     {exitUsage, "run in a pod, or give --kubeconfig"},
		"--kubeconfig " + file(t, unreachable): {exitFailed, "connection refused"},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "MANAGER_TEST_ARGS="+args)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != tc.code {
			t.Errorf("%q: %v, want exit %d", args, err, tc.code)
		}
		checkLine(t, stderr.String(), tc.says)
	}
}

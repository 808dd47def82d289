package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// call runs the program.
func call(t *testing.T, in string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errors bytes.Buffer
	code = run(t.Context(), "cache-cli", args, streams{in: strings.NewReader(in), out: &out, err: &errors})
	return code, out.String(), errors.String()
}

func TestWrongUseEndsWithOneLineAndTwo(t *testing.T) {
	outside(t)
	const help = "; see cache-cli --help"
	ring := file(t, `{"version":1,"members":["a-0","a-1"]}`)
	for _, tc := range []struct {
		name string
		args []string
		says string
	}{
		{"an unknown command", []string{"nonsense"}, `unknown command "nonsense"` + help},
		{"an unknown flag", []string{"--nonsense"}, "--nonsense" + help},
		{"an unknown flag of the demo", []string{"demo", "--nonsense"}, "--nonsense; see cache-cli demo --help"},
		{"an argument of the demo", []string{"demo", "extra"}, `unexpected argument "extra"; see cache-cli demo --help`},
		{"no duration", []string{"demo", "--timeout", "soon"}, "--timeout"},
		{"a duration of nothing", []string{"demo", "--timeout", "0s"}, "--timeout 0s: more than 0"},
		{"a flag without its value", []string{"demo", "--cache"}, "flag needs an argument: --cache"},
		{"a way that is none", []string{"get", "k", "--via", "pigeon"}, "--via pigeon: auto, dns or forward"},
		{"no key", []string{"get"}, "get: KEY is missing; see cache-cli get --help"},
		{"no value", []string{"set", "k"}, "set: VALUE is missing"},
		{"a value and a file", []string{"set", "k", "v", "--file", "-"}, `set: unexpected argument "v"`},
		{"a negative time to live", []string{"set", "k", "v", "--ttl", "-1s"}, "--ttl -1s: 0 or more"},
		{"a file that is missing", []string{"set", "k", "--file", "/missing/value"}, "open /missing/value: "},
		{"a key that is no base64", []string{"del", "?", "--base64"}, `key "?" is no base64: `},
		{"no keys to route", []string{"route"}, "route: KEY is missing; see cache-cli route --help"},
		{"a ring and a cache", []string{"route", "k", "--ring", ring, "--cache", "a"}, "--ring and --cache: one of them"},
		{"a form that is none", []string{"ring", "show", ring, "-o", "xml"}, `"xml" is not a form of output: json or yaml`},
		{"no command of ring", []string{"ring", "nonsense"}, `ring has no command "nonsense": show, watch or diff`},
		{"one ring to compare", []string{"ring", "diff", ring}, "compare with a second RING, or with --replicas or --without"},
		{"two rings and one more", []string{"ring", "diff", ring, ring, "--replicas", "3"}, "compare with a second RING, or with --replicas or --without"},
		{"no ring to compare", []string{"ring", "diff"}, "diff: one RING or two, have 0 arguments"},
		{"too many replicas", []string{"ring", "diff", ring, "--replicas", "1001"}, "--replicas 1001: 0 to 1000"},
		{"no such member", []string{"ring", "diff", ring, "--without", "a-7"}, "--without a-7: the ring has no such member"},
		{"no workers", []string{"bench", "--connections", "0"}, "--connections 0: 1 to 4096"},
		{"no part of the requests", []string{"bench", "--reads", "2"}, "--reads 2: 0 to 1"},
		{"no way to the API server", []string{"demo"}, "run in a pod, or give --kubeconfig; see cache-cli demo --help"},
		{"a kubeconfig that is missing", []string{"demo", "--kubeconfig", "/missing/config"}, "--kubeconfig: stat /missing/config: "},
		{"a kubeconfig that is a directory", []string{"demo", "--kubeconfig", t.TempDir()}, "is a directory"},
		{"a kubeconfig that is no YAML", []string{"demo", "--kubeconfig", file(t, "x: [")}, "yaml: line 1"},
		{"an empty kubeconfig", []string{"demo", "--kubeconfig", file(t, "")}, "no configuration has been provided"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, stdout, stderr := call(t, "", tc.args...)
			if code != exitUsage {
				t.Errorf("exit %d, want %d", code, exitUsage)
			}
			checkLine(t, stderr, tc.says)
			if stdout != "" {
				t.Errorf("stdout is %q", stdout)
			}
		})
	}
}

// Every command's help is a golden file: it is read more often than any document of ours.
func TestHelp(t *testing.T) {
	for _, command := range []string{
		"", "explain", "render", "ring", "ring show", "ring watch", "ring diff", "route", "get", "set", "del", "bench", "demo",
	} {
		t.Run(command, func(t *testing.T) {
			code, stdout, stderr := call(t, "", append(strings.Fields(command), "--help")...)
			if code != 0 || stderr != "" {
				t.Errorf("exit %d, stderr %q", code, stderr)
			}
			golden(t, strings.TrimSpace("help "+command), stdout)
		})
	}
}

func TestVersionAndNames(t *testing.T) {
	if _, stdout, _ := call(t, "", "--version"); stdout != "cache-cli version "+version+"\n" {
		t.Errorf("got %q", stdout)
	}
	for path, want := range map[string]string{
		"/usr/bin/cache-cli": "cache-cli", "./kubectl-dcache": "kubectl dcache", "kubectl-dcache.exe": "kubectl dcache", "/tmp/main.test": "cache-cli",
	} {
		if got := calledAs(path); got != want {
			t.Errorf("%s is called as %q, want %q", path, got, want)
		}
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if code, stdout, _ := call(t, "", "completion", shell); code != 0 || !strings.Contains(stdout, "cache-cli") {
			t.Errorf("%s: exit %d, %d bytes", shell, code, len(stdout))
		}
	}
	if _, stdout, _ := call(t, "", "__complete", "get", "--via", ""); !strings.HasPrefix(stdout, "auto\ndns\nforward\n") {
		t.Errorf("got %q", stdout)
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

// golden compares a text with a file of testdata; UPDATE_GOLDEN=1 rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")+".txt")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; UPDATE_GOLDEN=1 writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-%s +got:\n%s", path, diff)
	}
}

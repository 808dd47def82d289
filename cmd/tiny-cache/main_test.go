package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/test/fill"
)

// The test binary doubles as the program: real processes get real signals.
func TestMain(m *testing.M) {
	if args := os.Getenv("TINY_CACHE_TEST_ARGS"); args != "" {
		os.Args = append(os.Args[:1], strings.Fields(args)...)
		main()
		return
	}
	os.Exit(m.Run())
}

func command(t *testing.T, args string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "TINY_CACHE_TEST_ARGS="+args)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	return cmd, &stderr
}

func TestWrongFlagsEndWithOneLineAndTwo(t *testing.T) {
	for args, want := range map[string]string{
		"--nonsense":                         "nonsense",
		"--memory 12Q":                       "128Mi",
		"--memory 0":                         "auto",
		"--memory -5Mi":                      "128Mi",
		"--memory 99999999999Ti":             "128Mi",
		"--memory 32Mi":                      "at least 64 MiB",
		"--memory 64Mi --max-value-size 8Mi": "or lower the value limit",
		"--max-value-size 0":                 "1 to 128Mi",
		"--drain-grace 5":                    "0s to 1h",
		"--drain-grace -1s":                  "0s to 1h",
		"--log-format xml":                   "text or json",
		"--log-level loud":                   "debug, info, warn or error",
		"extra":                              `"extra"`,
	} {
		cmd, stderr := command(t, args)
		err := cmd.Run()
		if cmd.ProcessState.ExitCode() != exitUsage {
			t.Errorf("%s: %v, want exit %d", args, err, exitUsage)
		}
		if out := stderr.String(); strings.Count(out, "\n") != 1 || !strings.Contains(out, want) || !strings.HasPrefix(out, "tiny-cache: ") {
			t.Errorf("%s: %q, want one line with %q", args, out, want)
		}
	}
}

func TestListenFailure(t *testing.T) {
	cmd, stderr := command(t, "--memory 64Mi --listen 127.0.0.1:99999")
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitFailed || !strings.Contains(stderr.String(), "--listen") {
		t.Errorf("%v, %q; want exit %d and the flag's name", err, stderr, exitFailed)
	}
}

func TestVersionAndHelp(t *testing.T) {
	for args, want := range map[string]string{"--version": "tiny-cache " + version, "--help": "-drain-grace"} {
		cmd, _ := command(t, args)
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %q", args, err, out)
		}
	}
}

// SIGTERM begins the drain, in which all is served; a second one ends it.
func TestSignals(t *testing.T) {
	addr := freeAddress(t)
	cmd, stderr := command(t, "--memory 64Mi --drain-grace 1h --log-format json --listen "+addr)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	waitFor(t, addr, `"ready"`)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	waitFor(t, addr, `"draining"`)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("exit after the second signal: %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the second signal did not end the process")
	}
	if !strings.Contains(stderr.String(), `"msg":"second signal: ending at once"`) {
		t.Errorf("log: %s", stderr)
	}
}

func TestDrainGraceEnds(t *testing.T) {
	addr := freeAddress(t)
	cmd, stderr := command(t, "--memory 64Mi --drain-grace 200ms --listen "+addr)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, addr, `"ready"`)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil || !strings.Contains(stderr.String(), "msg=stopped") {
		t.Errorf("%v, log: %s", err, stderr)
	}
}

// J6: a process that was stopped for longer than its entries live serves none of
// them when it goes on, and counts none.
func TestJ6StoppedProcess(t *testing.T) {
	addr := freeAddress(t)
	cmd, _ := command(t, "--memory 64Mi --drain-grace 0s --listen "+addr)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, addr, `"ready"`)
	f := fill.New("http://"+addr, 0)
	for i := range 20 {
		if status := request(t, http.MethodPut, fmt.Sprintf("http://%s/v1/cache/%d?ttl=2", addr, i)); status != http.StatusNoContent {
			t.Fatalf("PUT: %d", status)
		}
	}
	_ = cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(3500 * time.Millisecond) // the ttl, and the second for which Stats may count what has expired
	_ = cmd.Process.Signal(syscall.SIGCONT)
	if st, err := f.Stats(t.Context()); err != nil || st.Entries != 0 || st.Bytes != 0 || st.Expirations != 20 {
		t.Errorf("after the stop: %+v, %v", st, err)
	}
	for i := range 20 {
		if status := request(t, http.MethodGet, fmt.Sprintf("http://%s/v1/cache/%d", addr, i)); status != http.StatusNotFound {
			t.Errorf("GET after the stop: %d", status)
		}
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
}

// request sends an empty body and returns the status.
func request(t *testing.T, method, url string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// waitFor asks /readyz until it says what is wanted.
func waitFor(t *testing.T, addr, want string) {
	t.Helper()
	var last string
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		req, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, fmt.Sprintf("http://%s/readyz", addr), nil)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			last = err.Error()
			continue
		}
		b, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if last = string(b); res.StatusCode == http.StatusOK && strings.Contains(last, want) {
			return
		}
	}
	t.Fatalf("/readyz never said %s, last: %s", want, last)
}

func TestSizeFlag(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "128Mi": 128 << 20, "1Gi": 1 << 30, "100M": 1e8, "2k": 2000, "0": 0} {
		var s sizeFlag
		if err := s.Set(text); err != nil || int64(s) != want {
			t.Errorf("%s: %d, %v; want %d", text, s, err, want)
		}
		var again sizeFlag
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%s prints as %s", text, &s)
		}
	}
	for _, text := range []string{"", "Mi", "1.5Gi", "-1", "1mi", "1 Mi", "9223372036854775808"} {
		var s sizeFlag
		if err := s.Set(text); err == nil {
			t.Errorf("%q: accepted as %d", text, s)
		}
	}
}

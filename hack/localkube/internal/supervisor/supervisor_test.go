package supervisor

import (
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serve runs a supervisor without namespaces inside the test; all children of the test process
// are its.
func serve(t *testing.T, restart bool) (*Client, *server) {
	t.Helper()
	dir := t.TempDir()
	exits := make(chan os.Signal, 1)
	signal.Notify(exits, syscall.SIGCHLD)
	c := newChildren(dir, []string{"PATH=/usr/bin:/bin"}, restart)
	go c.reap(t.Context(), exits)
	s := newServer(c, func(Network) error { return nil })
	socket := filepath.Join(dir, "s")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	web := &http.Server{Handler: s.handler(), ReadHeaderTimeout: time.Second}
	go func() { _ = web.Serve(listener) }()
	t.Cleanup(func() { _ = web.Close(); signal.Stop(exits) })
	client := NewClient(socket)
	if err := client.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	return client, s
}

func shell(name, script string) Spec {
	return Spec{Name: name, Path: "/bin/sh", Args: []string{"-c", script}}
}

func TestLifeOfAComponent(t *testing.T) {
	client, s := serve(t, false)
	ctx := t.Context()
	if err := client.Start(ctx, shell("a", "exec sleep 60")); err != nil {
		t.Fatal(err)
	}
	if err := client.Start(ctx, Spec{Name: "a"}); err == nil || !strings.Contains(err.Error(), "already runs") {
		t.Errorf("a second start: %v", err)
	}
	first := one(t, client, "a")
	if !first.Running || first.PID == 0 {
		t.Fatalf("after start: %+v", first)
	}
	if err := client.Stop(ctx, "a", time.Second); err != nil {
		t.Fatal(err)
	}
	if got := one(t, client, "a"); got.Running || !got.Stopped || got.Exit != "killed by SIGTERM" {
		t.Errorf("after stop: %+v", got)
	}
	if err := client.Stop(ctx, "a", 0); err == nil || !strings.Contains(err.Error(), "does not run") {
		t.Errorf("a second stop: %v", err)
	}
	if err := client.Start(ctx, Spec{Name: "a"}); err != nil {
		t.Fatal(err)
	}
	if got := one(t, client, "a"); !got.Running || got.Stopped || got.PID == first.PID {
		t.Errorf("after the second start: %+v", got)
	}
	s.children.shutdown(ctx)
	if got := one(t, client, "a"); got.Running {
		t.Errorf("after shutdown: %+v", got)
	}
}

func TestExitsAreSeenAndNothingIsRestarted(t *testing.T) {
	client, _ := serve(t, false)
	if err := client.Start(t.Context(), shell("b", "echo last words; exit 3")); err != nil {
		t.Fatal(err)
	}
	for one(t, client, "b").Running {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
	if got := one(t, client, "b"); got.Exit != "exit code 3" || got.Stopped || got.Running {
		t.Errorf("got %+v", got)
	}
}

func TestRestart(t *testing.T) {
	client, s := serve(t, true)
	if err := client.Start(t.Context(), shell("r", "exec sleep 60")); err != nil {
		t.Fatal(err)
	}
	first := one(t, client, "r")
	if err := syscall.Kill(first.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(5 * time.Second)
	for got := first; got.Restarts != 1 || !got.Running; got = one(t, client, "r") {
		if time.Now().After(deadline) {
			t.Fatalf("not restarted: %+v", got)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := client.Stop(t.Context(), "r", time.Second); err != nil {
		t.Fatal(err)
	}
	s.children.shutdown(t.Context())
	time.Sleep(restartDelay + 200*time.Millisecond)
	if got := one(t, client, "r"); got.Running {
		t.Errorf("restarted though it was stopped: %+v", got)
	}
}

func TestAStubbornComponentIsKilled(t *testing.T) {
	client, _ := serve(t, false)
	if err := client.Start(t.Context(), shell("c", `trap "" TERM; while :; do sleep 0.05; done`)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond) // Until the trap is set.
	if err := client.Stop(t.Context(), "c", time.Second); err != nil {
		t.Fatal(err)
	}
	if got := one(t, client, "c"); got.Exit != "killed by SIGKILL" {
		t.Errorf("got %+v", got)
	}
}

func TestRefusals(t *testing.T) {
	client, _ := serve(t, false)
	if err := client.Start(t.Context(), Spec{Name: "nobody"}); err == nil || !strings.Contains(err.Error(), `"nobody"`) {
		t.Errorf("start: %v", err)
	}
	if err := client.Stop(t.Context(), "nobody", 0); err == nil || !strings.Contains(err.Error(), `"nobody"`) {
		t.Errorf("stop: %v", err)
	}
	if err := client.Start(t.Context(), Spec{Name: "d", Path: "/nowhere/d"}); err == nil || !strings.Contains(err.Error(), "/nowhere/d") {
		t.Errorf("a missing program: %v", err)
	}
}

func one(t *testing.T, client *Client, name string) Status {
	t.Helper()
	list, err := client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no %s in %+v", name, list)
	return Status{}
}

package instance

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestNewDir(t *testing.T) {
	tests := map[string]struct{ name, path, want string }{
		"a good name":     {"my-1", "/tmp/x", ""},
		"capitals":        {"My", "/tmp/x", "--name"},
		"a path":          {"a/b", "/tmp/x", "--name"},
		"a dash first":    {"-a", "/tmp/x", "--name"},
		"nothing":         {"", "/tmp/x", "--name"},
		"33 letters":      {strings.Repeat("a", 33), "/tmp/x", "--name"},
		"a path too long": {"a", "/" + strings.Repeat("x", 90), "shorter"},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			_, err := NewDir(tt.name, tt.path)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCgroupsOfOneNameDiffer(t *testing.T) {
	a, b := Dir{Name: "x", Path: "/a"}, Dir{Name: "x", Path: "/b"}
	if a.Cgroup() == b.Cgroup() {
		t.Error("two state directories share a cgroup")
	}
}

func TestHides(t *testing.T) {
	for path, want := range map[string]string{
		"/var/lib/x": "/var/lib", "/var/lib": "/var/lib", "/var/library": "", "/home/u": "",
	} {
		if got := Hides(path, []string{"/run", "/var/lib"}); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestParseStat(t *testing.T) {
	line := "42 (a b) c) S 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 9876 1 2"
	ticks, state, err := parseStat(line)
	if err != nil || ticks != 9876 || state != "S" {
		t.Errorf("got %d, %q, %v", ticks, state, err)
	}
	for _, bad := range []string{"", "42 (a", "42 (a) S 1"} {
		if _, _, err := parseStat(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestAlive(t *testing.T) {
	self, err := ReadProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	reused, rebooted := self, self
	reused.StartTicks++
	rebooted.BootID = "another"
	for title, tt := range map[string]struct {
		p    Process
		want bool
	}{
		"this process":              {self, true},
		"another with the same pid": {reused, false},
		"one of an earlier boot":    {rebooted, false},
		"none":                      {Process{}, false},
	} {
		if got := tt.p.Alive(); got != tt.want {
			t.Errorf("%s: got %t", title, got)
		}
	}
}

func TestLockExcludes(t *testing.T) {
	dir := Dir{Name: "a", Path: filepath.Join(t.TempDir(), "s")}
	first, err := dir.Acquire(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 150*time.Millisecond)
	defer cancel()
	var notice bytes.Buffer
	if _, err := dir.Acquire(ctx, &notice); err == nil {
		t.Fatal("two hold the lock")
	}
	if !strings.Contains(notice.String(), "waiting") {
		t.Errorf("it waited without a word: %q", notice.String())
	}
	// Removing the directory under the lock must not leave two holders of two files.
	if err := dir.Remove(); err != nil {
		t.Fatal(err)
	}
	first.Release()
	second, err := dir.Acquire(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
}

func TestForeignDirectoriesAreSafe(t *testing.T) {
	dir := Dir{Name: "a", Path: t.TempDir()}
	precious := dir.Join("thesis.txt")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Acquire(t.Context(), os.Stderr); err == nil {
		t.Error("a directory with someone's files was taken")
	}
	if err := dir.Remove(); err == nil {
		t.Error("a directory with someone's files was removed")
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
	}
}

func TestState(t *testing.T) {
	dir := Dir{Name: "a", Path: t.TempDir()}
	if _, err := dir.LoadState(); err == nil || !strings.Contains(err.Error(), "localkube up") {
		t.Errorf("got %v", err)
	}
	want := State{Mode: ModeKwok, KwokNodes: 3, Ready: true}
	if err := dir.SaveState(want); err != nil {
		t.Fatal(err)
	}
	got, err := dir.LoadState()
	if err != nil || got.Mode != want.Mode || got.KwokNodes != 3 || !got.Ready {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestEndsWithin(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	process, err := ReadProcess(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if process.EndsWithin(t.Context(), 50*time.Millisecond) {
		t.Error("a living process is said to have ended")
	}
	// Killed and not yet waited for: listed still, and as good as gone.
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if !process.EndsWithin(t.Context(), 10*time.Second) {
		t.Error("a killed process is said to live")
	}
	_ = cmd.Wait()
}

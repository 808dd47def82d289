package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/test/fill"
)

// J12: the real program in a real container of limited memory, filled to five
// times what it holds by as many clients as it takes: it is not killed, and it
// makes use of what it was given: memory in use, which is rings, index, buffers
// and what Go keeps. With LONG_TESTS=1 also at 256Mi and 1Gi, for minutes.
func TestJ12FullPodIsNotKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it fills containers; run without -short")
	}
	limits := []string{"64Mi", "128Mi"}
	if os.Getenv("LONG_TESTS") != "" {
		limits = append(limits, "256Mi", "1Gi")
	}
	program := filepath.Join(t.TempDir(), "tiny-cache")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is shipped: also when this test has the race detector
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build tiny-cache: %v\n%s", err, out)
	}
	for _, limit := range limits {
		for _, valueSize := range []int{10, 1 << 10, 100 << 10} {
			t.Run(fmt.Sprintf("%s/%dB", limit, valueSize), func(t *testing.T) { fillContainer(t, program, limit, valueSize) })
		}
	}
}

func fillContainer(t *testing.T, program, size string, valueSize int) {
	t.Helper()
	var limit sizeFlag
	if err := limit.Set(size); err != nil {
		t.Fatal(err)
	}
	c := newContainer(t, int64(limit))
	addr := freeAddress(t)
	cmd := c.command(t, program, "--listen", addr, "--drain-grace", "0s")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	waitFor(t, addr, `"ready"`)
	f := fill.New("http://"+addr, valueSize)
	defer f.Close()
	crowd(t, f, addr)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	st, err := f.Fill(ctx, 4)
	if err != nil {
		t.Errorf("it was not filled: %v", err)
	}

	status := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	used, peak := field(t, status, "VmRSS:")<<10, field(t, status, "VmHWM:")<<10
	share := float64(used) / float64(limit)
	t.Logf("%d entries, rings of %d MiB, %d index entries; memory in use %.0f %% of the limit, at most %d MiB",
		st.Entries, st.Capacity>>20, st.IndexEntries, 100*share, peak>>20)
	if kills := c.oomKills(t); kills != 0 {
		t.Errorf("%d processes were killed for memory; log: %s", kills, &stderr)
	}
	if peak > int64(limit) {
		t.Errorf("it used up to %d MiB of %s", peak>>20, size)
	}
	if limit >= 128<<20 && share < 0.6 {
		t.Errorf("a full pod uses %.0f %% of its memory, want at least 60 %%", 100*share)
	}
}

// crowd opens the connections that the fillers leave over, has each carry the
// largest value that stays in its own buffers, and holds them.
func crowd(t *testing.T, f *fill.Filler, addr string) {
	t.Helper()
	st, err := f.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range int(st.MaxConnections) - 4*fill.Width {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		const size = 8 << 10
		fmt.Fprintf(c, "PUT /v1/cache/crowd-%d HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", i, size, make([]byte, size))
		if answer, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(answer, "204") {
			t.Fatalf("connection %d: %q, %v", i, answer, err)
		}
	}
}

package servers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Usage is what all threads of a server have had of their core so far.
type Usage struct {
	// Ran is processor time, user and system.
	Ran time.Duration
	// Waited is the time in which they could have run and something else did.
	Waited time.Duration
}

// Usage reads the scheduler's nanoseconds. Ticks of 10 ms would need much longer runs.
func (s *Server) Usage() (Usage, error) {
	threads, err := filepath.Glob(s.proc("task/*/schedstat"))
	if err != nil {
		return Usage{}, err
	}
	if len(threads) == 0 {
		return Usage{}, fmt.Errorf("%s: no %s: has it ended, or has the kernel no schedstats?", s.Kind.Name, s.proc("task/*/schedstat"))
	}
	var all Usage
	for _, thread := range threads {
		text, err := os.ReadFile(thread) // #nosec G304 -- a name made of a number
		if errors.Is(err, os.ErrNotExist) {
			continue // the thread has ended since
		}
		if err != nil {
			return Usage{}, err
		}
		var ran, waited time.Duration
		if _, err := fmt.Sscan(string(text), &ran, &waited); err != nil {
			return Usage{}, fmt.Errorf("%s: %w", thread, err)
		}
		all.Ran += ran
		all.Waited += waited
	}
	return all, nil
}

// RSS returns the memory of the process that is in use, in bytes. It asks smaps_rollup, which
// counts pages; the cheaper sources may lag behind by some.
func (s *Server) RSS() (int64, error) {
	text, err := os.ReadFile(s.proc("smaps_rollup"))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(text) {
		rest, ok := bytes.CutPrefix(line, []byte("Rss:"))
		if !ok {
			continue
		}
		kib, err := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte("kB")))), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", s.proc("smaps_rollup"), err)
		}
		return kib << 10, nil
	}
	return 0, fmt.Errorf("%s: no Rss in %s", s.Kind.Name, s.proc("smaps_rollup"))
}

// proc names a file of the process. taskset replaces itself by the server, so its number is the server's.
func (s *Server) proc(file string) string {
	return filepath.Join("/proc", strconv.Itoa(s.process.Process.Pid), file)
}

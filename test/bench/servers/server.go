// Package servers runs the compared servers as processes of this machine and reads from /proc what
// they cost.
package servers

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Server is a running process.
type Server struct {
	// Kind is what runs.
	Kind Kind
	// Port is where it listens.
	Port int

	process *exec.Cmd
	// ended is closed when the process is gone; then exit says how.
	ended   chan struct{}
	exit    error
	scratch string
}

const (
	startTime = 20 * time.Second
	stopTime  = 10 * time.Second
)

// Start runs a server of a kind on one core and returns when it accepts connections. Its limit of
// memory, in bytes, is what its own option for it means.
func Start(ctx context.Context, kind Kind, core int, memory int64) (*Server, error) {
	scratch, err := os.MkdirTemp("", "cache-bench-")
	if err != nil {
		return nil, err
	}
	s := &Server{Kind: kind, scratch: scratch, ended: make(chan struct{})}
	if err := s.start(ctx, core, memory); err != nil {
		_ = os.RemoveAll(scratch)
		return nil, fmt.Errorf("start %s: %w", kind.Name, err)
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, core int, memory int64) error {
	port, err := freePort(ctx)
	if err != nil {
		return err
	}
	s.Port = port
	args := append([]string{"-c", strconv.Itoa(core)}, s.Kind.command(port, memory)...)
	s.process = exec.CommandContext(ctx, "taskset", args...) // #nosec G204 -- the commands are this package's
	s.process.Dir = s.scratch
	logs, err := os.Create(filepath.Join(s.scratch, "log"))
	if err != nil {
		return err
	}
	defer func() { _ = logs.Close() }()
	s.process.Stdout, s.process.Stderr = logs, logs
	if err := s.process.Start(); err != nil {
		return err
	}
	go func() {
		s.exit = s.process.Wait()
		close(s.ended)
	}()
	return s.await(ctx)
}

// await returns when the server accepts connections.
func (s *Server) await(ctx context.Context) error {
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port))
	for end := time.Now().Add(startTime); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		select {
		case <-s.ended:
			logs, _ := os.ReadFile(filepath.Join(s.scratch, "log")) // what there is of it helps
			return fmt.Errorf("it ended (%w): %s", s.exit, logs)
		default:
		}
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp", address); err == nil {
			return conn.Close()
		}
	}
	return fmt.Errorf("it did not listen on %s within %v", address, startTime)
}

// Stop ends the process, by force if it does not follow a signal.
func (s *Server) Stop() {
	_ = s.process.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-s.ended:
	case <-time.After(stopTime):
		_ = s.process.Process.Kill()
		<-s.ended
	}
	_ = os.RemoveAll(s.scratch)
}

func freePort(ctx context.Context) (int, error) {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

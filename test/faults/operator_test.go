//go:build integration

package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/sk1-services/distributed-cache/test/faults/proxy"
)

// operator is an operator's process, whichever it is just now, behind a proxy of its own.
type operator struct {
	*proxy.Endpoint
	t       *testing.T
	name    string
	program string
	args    []string
	log     *os.File

	crashing sync.Mutex
	mu       sync.Mutex
	life     *life
	ended    bool
}

// life is that of one process.
type life struct {
	process *os.Process
	over    chan struct{}
	wanted  bool // its end is
}

// build makes the operator's program.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "manager")
	run(t, "go", "build", "-o", program, "../../cmd/manager")
	return program
}

// newOperator starts an operator behind a proxy. It ends with the test.
func newOperator(t *testing.T, name, program string, config *rest.Config, flags ...string) *operator {
	t.Helper()
	p, err := proxy.Listen(rest.CopyConfig(config))
	check(t, err)
	t.Cleanup(func() { _ = p.Close() })
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	check(t, p.Kubeconfig(kubeconfig))
	log, err := os.Create(filepath.Join(dir, "operator.log"))
	check(t, err)
	o := &operator{Endpoint: p, t: t, name: name, log: log, program: program, args: append([]string{
		"--kubeconfig", kubeconfig, "--metrics-bind-address", "0", "--health-probe-bind-address", "0",
		"--cache-image", "registry.example.com/tiny-cache:test",
		// Pods are Ready since a whole second: a window of less than one would make two versions
		// of two pods that became Ready around its turn, and two runs would not end alike.
		"--bootstrap-limit", "5s", "--join-delay", "1s", "--join-window", "1s",
	}, flags...)}
	o.start()
	t.Cleanup(o.end)
	return o
}

func (o *operator) start() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	command := exec.Command(o.program, o.args...)
	command.Stdout, command.Stderr = o.log, o.log
	// It is not to outlive a test that dies.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := command.Start(); err != nil {
		o.t.Errorf("start the %s: %v", o.name, err)
		return
	}
	l := &life{process: command.Process, over: make(chan struct{})}
	o.life = l
	go func() {
		err := command.Wait()
		o.mu.Lock()
		if !l.wanted {
			o.t.Errorf("the %s ended by itself: %v, log:\n%s", o.name, err, o.tail())
		}
		o.mu.Unlock()
		close(l.over)
	}()
}

// kill ends the process as a crash would and waits until it is over.
func (o *operator) kill() {
	o.mu.Lock()
	l := o.life
	o.life = nil
	if l != nil {
		l.wanted = true
		_ = l.process.Kill()
	}
	o.mu.Unlock()
	if l != nil {
		<-l.over
	}
}

// crash is a kill and the restart that follows.
func (o *operator) crash() {
	o.crashing.Lock()
	defer o.crashing.Unlock()
	o.kill()
	o.start()
}

// freeze stops the process as it is, in the midst of whatever it does.
func (o *operator) freeze() {
	o.mu.Lock()
	defer o.mu.Unlock()
	check(o.t, o.life.process.Signal(syscall.SIGSTOP))
}

// thaw lets a frozen process go on and reports whether it ends by itself within a time.
func (o *operator) thaw(within time.Duration) bool {
	o.mu.Lock()
	l := o.life
	l.wanted = true
	err := l.process.Signal(syscall.SIGCONT)
	o.mu.Unlock()
	check(o.t, err)
	select {
	case <-l.over:
		return true
	case <-time.After(within):
		return false
	}
}

func (o *operator) end() {
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.kill()
	_ = o.log.Close()
}

// tail is the end of the log.
func (o *operator) tail() string {
	const length = 6000
	data, _ := os.ReadFile(o.log.Name())
	return string(data[max(0, len(data)-length):])
}

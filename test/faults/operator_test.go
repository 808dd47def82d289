//go:build integration

package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/sk1-services/distributed-cache/test/faults/proxy"
)

// operator is the operator's process, whichever it is just now.
type operator struct {
	t       *testing.T
	program string
	args    []string
	log     *os.File

	mu    sync.Mutex
	life  *life
	ended bool
}

// life is that of one process.
type life struct {
	process *os.Process
	over    chan struct{}
	wanted  bool // its end is
}

// newOperator builds the operator and starts it behind the proxy. Its log is told if a test fails.
func newOperator(t *testing.T, p *proxy.Endpoint) *operator {
	t.Helper()
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	check(t, p.Kubeconfig(kubeconfig))
	log, err := os.Create(filepath.Join(dir, "operator.log"))
	check(t, err)
	o := &operator{t: t, log: log, program: filepath.Join(dir, "manager"), args: []string{
		"--kubeconfig", kubeconfig, "--metrics-bind-address", "0", "--health-probe-bind-address", "0",
		"--cache-image", "registry.example.com/tiny-cache:test",
		// Pods are Ready since a whole second: a window of less than one would make two versions
		// of two pods that became Ready around its turn, and two runs would not end alike.
		"--bootstrap-limit", "5s", "--join-delay", "1s", "--join-window", "1s",
	}}
	run(t, "go", "build", "-o", o.program, "../../cmd/manager")
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
		o.t.Errorf("start the operator: %v", err)
		return
	}
	l := &life{process: command.Process, over: make(chan struct{})}
	o.life = l
	go func() {
		err := command.Wait()
		o.mu.Lock()
		if !l.wanted {
			o.t.Errorf("the operator ended by itself: %v, log:\n%s", err, o.tail())
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
	o.kill()
	o.start()
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

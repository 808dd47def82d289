package supervisor

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/network"
)

// Run is the life of the supervisor. It returns when it was asked to end.
func Run(ctx context.Context, dir instance.Dir, o Options) error {
	leash, err := takeLeash()
	if err != nil {
		return err
	}
	// Read before the sandbox brings its own /proc: this one still shows the host's numbers.
	self, err := identify()
	if err != nil {
		return err
	}
	if err := dir.SaveSupervisor(self); err != nil {
		return err
	}
	if o.Isolated {
		if err := enterSandbox(dir); err != nil {
			return fmt.Errorf("set up the sandbox: %w", err)
		}
	}
	exits := make(chan os.Signal, 1)
	signal.Notify(exits, syscall.SIGCHLD)
	c := newChildren(dir.Join("logs"), environment(dir), o.Restart)
	// Also while shutting down, which waits for exits.
	go c.reap(context.WithoutCancel(ctx), exits)

	s := newServer(c, func(n Network) error {
		return network.ConfigureNode(n.Link, n.Address, n.ServiceCIDR)
	})
	if err := os.Remove(dir.Socket()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the old socket: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", dir.Socket())
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	web := &http.Server{Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = web.Serve(listener) }()

	s.await(ctx, leash)
	log.Print("shutting down")
	c.shutdown(context.WithoutCancel(ctx), "kubelet", "kwok")
	return web.Close()
}

func (s *server) await(ctx context.Context, leash *leashed) {
	select {
	case <-s.used:
		leash.slip()
	case <-s.quit:
		return
	case <-ctx.Done():
		return
	case <-leash.parted:
		log.Print("the command that started this supervisor has ended before its first order")
		return
	}
	select {
	case <-s.quit:
	case <-ctx.Done():
	}
}

// identify finds this process's host pid: /proc/self resolves in the namespace that /proc was
// mounted from, while getpid(2) answers 1.
func identify() (instance.Process, error) {
	link, err := os.Readlink("/proc/self")
	if err != nil {
		return instance.Process{}, fmt.Errorf("find the own process: %w", err)
	}
	pid, err := strconv.Atoi(link)
	if err != nil {
		return instance.Process{}, fmt.Errorf("find the own process: %w", err)
	}
	return instance.ReadProcess(pid)
}

// environment is all that components inherit: nothing of the caller's leaks into them, proxies
// least of all.
func environment(dir instance.Dir) []string {
	return []string{
		"PATH=" + dir.Join("bin") + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOME=" + dir.Path,
		"TMPDIR=" + dir.Join("tmp"),
	}
}

package epoll

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mostReady is how many sockets one Wait returns at most.
const mostReady = 256

// Poller is a set of sockets of which one goroutine waits for any. Add, Remove and
// Wake may be called by others meanwhile.
type Poller struct {
	// file is the epoll, known to Go's network poller.
	file  *os.File
	raw   syscall.RawConn
	epoll int
	wake  int

	// The rest belongs to the goroutine in Wait.
	events  [mostReady]unix.EpollEvent
	ready   [mostReady]Socket
	number  int
	failure error
	look    func(uintptr) bool
}

// New returns an empty poller, to be closed by its owner.
func New() (*Poller, error) {
	p := &Poller{}
	var err error
	if p.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, fmt.Errorf("create an epoll: %w", err)
	}
	// Go's poller takes only what does not block.
	if err := unix.SetNonblock(p.epoll, true); err != nil {
		_ = unix.Close(p.epoll)
		return nil, fmt.Errorf("set an epoll to non-blocking: %w", err)
	}
	p.file = os.NewFile(uintptr(p.epoll), "epoll")
	if p.raw, err = p.file.SyscallConn(); err == nil {
		p.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	}
	if err != nil {
		_ = p.file.Close()
		return nil, fmt.Errorf("prepare an epoll: %w", err)
	}
	if err := p.Add(Socket(p.wake)); err != nil {
		_ = p.Close()
		return nil, err
	}
	p.look = func(uintptr) bool { p.poll(0); return p.number != 0 || p.failure != nil }
	return p, nil
}

// Add makes a socket part of the set, until Remove or until it is closed.
func (p *Poller) Add(s Socket) error {
	event := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP, Fd: int32(s)}
	if err := unix.EpollCtl(p.epoll, unix.EPOLL_CTL_ADD, int(s), &event); err != nil {
		return fmt.Errorf("add a socket to an epoll: %w", err)
	}
	return nil
}

// Remove takes a socket out of the set.
func (p *Poller) Remove(s Socket) error {
	if err := unix.EpollCtl(p.epoll, unix.EPOLL_CTL_DEL, int(s), nil); err != nil {
		return fmt.Errorf("remove a socket from an epoll: %w", err)
	}
	return nil
}

// Wake ends a Wait, or the next one.
func (p *Poller) Wake() {
	one := [8]byte{1}
	_, _ = unix.Write(p.wake, one[:]) // it can only fail because it is still set
}

// Wait returns sockets that can be read or are at their end; maybe none, on Wake
// or after timeout, where 0 is for ever. The result is valid until the next call.
//
// It holds a thread, and for some time a processor of Go's scheduler too: that is
// half the price of waiting as goroutines do, but where it is the last processor,
// others can be woken up to 10 ms late by the network. So whoever serves others
// beside asks to share: then it waits as goroutines do.
func (p *Poller) Wait(timeout time.Duration, share bool) ([]Socket, error) {
	if p.poll(0); p.number == 0 && p.failure == nil {
		runtime.Gosched()
		if share {
			p.park(timeout)
		} else {
			p.poll(milliseconds(timeout))
		}
	}
	if p.failure != nil {
		return nil, fmt.Errorf("wait for an epoll: %w", p.failure)
	}
	ready := p.ready[:0]
	for i := range p.number {
		if fd := int(p.events[i].Fd); fd == p.wake {
			var count [8]byte
			_, _ = unix.Read(p.wake, count[:])
		} else {
			ready = append(ready, Socket(fd))
		}
	}
	return ready, nil
}

// poll asks the kernel; -1 milliseconds are for ever.
func (p *Poller) poll(milliseconds int) {
	p.number, p.failure = unix.EpollWait(p.epoll, p.events[:], milliseconds)
	if errors.Is(p.failure, unix.EINTR) {
		p.number, p.failure = 0, nil
	}
}

// park waits in Go's network poller.
func (p *Poller) park(timeout time.Duration) {
	var until time.Time
	if timeout > 0 {
		until = time.Now().Add(timeout)
	}
	err := p.file.SetReadDeadline(until)
	if err == nil {
		err = p.raw.Read(p.look)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		p.number, err = 0, nil
	}
	if err != nil {
		p.failure = err
	}
}

func milliseconds(timeout time.Duration) int {
	if timeout <= 0 {
		return -1
	}
	return int(min((timeout+time.Millisecond-1)/time.Millisecond, math.MaxInt32))
}

// Close frees the poller. Nobody may be in Wait.
func (p *Poller) Close() error { return errors.Join(unix.Close(p.wake), p.file.Close()) }

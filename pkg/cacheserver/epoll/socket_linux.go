package epoll

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Socket is the descriptor of a TCP socket that does not block.
type Socket int

// keepAlive is, in seconds, after how long a silent peer is asked whether it is
// there, and how often then; Go's own default.
const keepAlive = 15

// Listening returns a socket of its own for what listener listens on. The port
// stays open until both are closed.
func Listening(listener net.Listener) (Socket, error) {
	s, err := duplicate(listener)
	if err != nil {
		return 0, fmt.Errorf("take the socket of %s: %w", listener.Addr(), err)
	}
	// Accepted sockets inherit these.
	for _, o := range []struct{ level, name, value int }{
		{unix.IPPROTO_TCP, unix.TCP_NODELAY, 1},
		{unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		{unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, keepAlive},
		{unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, keepAlive},
	} {
		if err := unix.SetsockoptInt(int(s), o.level, o.name, o.value); err != nil {
			_ = s.Close()
			return 0, fmt.Errorf("set up the socket of %s: %w", listener.Addr(), err)
		}
	}
	return s, nil
}

// Detach takes a connection's socket away from Go's poller. On success the
// connection is closed and the socket open; otherwise nothing has changed.
func Detach(c net.Conn) (Socket, error) {
	s, err := duplicate(c)
	if err != nil {
		return 0, fmt.Errorf("detach a connection: %w", err)
	}
	_ = c.Close()
	return s, nil
}

func duplicate(of any) (Socket, error) {
	owner, ok := of.(syscall.Conn)
	if !ok {
		return 0, fmt.Errorf("%T has no socket", of)
	}
	raw, err := owner.SyscallConn()
	if err != nil {
		return 0, err
	}
	var fd int
	var failed error
	if err := raw.Control(func(old uintptr) { fd, failed = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) }); err != nil {
		return 0, err
	}
	return Socket(fd), failed
}

// Conn gives the socket to Go's poller. Whatever it returns, s is closed.
func (s Socket) Conn() (net.Conn, error) {
	file := os.NewFile(uintptr(s), "connection")
	defer func() { _ = file.Close() }()
	c, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("attach a connection: %w", err)
	}
	return c, nil
}

// Accept returns a connection that has come, or ErrAgain.
func (s Socket) Accept() (Socket, error) {
	fd, _, err := unix.Accept4(int(s), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return 0, ErrAgain
	}
	return Socket(fd), err
}

// Read reads what is there. It returns 0 at the end of the stream, and ErrAgain
// if nothing is there.
func (s Socket) Read(p []byte) (int, error) {
	return transfer(unix.SYS_READ, s, p)
}

// Write writes what there is room for, or returns ErrAgain.
func (s Socket) Write(p []byte) (int, error) {
	return transfer(unix.SYS_WRITE, s, p)
}

// transfer is a read or a write of which Go's scheduler does not know: telling it
// costs as much as some of these calls.
func transfer(call uintptr, s Socket, p []byte) (int, error) {
	n, _, errno := unix.RawSyscall(call, uintptr(s), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p))) // #nosec G103 -- the kernel gets the slice as it is
	switch errno {
	case 0:
		return int(n), nil
	case unix.EAGAIN, unix.EINTR:
		return 0, ErrAgain
	default:
		return 0, errno
	}
}

// Close closes the socket.
func (s Socket) Close() error { return unix.Close(int(s)) }

// passing is what Accept fails with for want of something that others may give
// back, or because of that one connection.
var passing = []error{unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM, unix.ECONNABORTED, unix.EPROTO, unix.EPERM}

// Temporary reports whether it makes sense to Accept again after err, later.
func Temporary(err error) bool {
	return slices.ContainsFunc(passing, func(e error) bool { return errors.Is(err, e) })
}

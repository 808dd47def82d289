//go:build !linux

package epoll

import (
	"errors"
	"net"
	"time"
)

// Poller does not exist on this system.
type Poller struct{}

// Socket does not exist on this system.
type Socket int

// New returns an error.
func New() (*Poller, error) { return nil, errors.ErrUnsupported }

// Add returns an error.
func (*Poller) Add(Socket) error { return errors.ErrUnsupported }

// Remove returns an error.
func (*Poller) Remove(Socket) error { return errors.ErrUnsupported }

// Wake does nothing.
func (*Poller) Wake() {}

// Wait returns an error.
func (*Poller) Wait(time.Duration, bool) ([]Socket, error) { return nil, errors.ErrUnsupported }

// Close does nothing.
func (*Poller) Close() error { return nil }

// Listening returns an error.
func Listening(net.Listener) (Socket, error) { return 0, errors.ErrUnsupported }

// Detach returns an error.
func Detach(net.Conn) (Socket, error) { return 0, errors.ErrUnsupported }

// Conn returns an error.
func (Socket) Conn() (net.Conn, error) { return nil, errors.ErrUnsupported }

// Accept returns an error.
func (Socket) Accept() (Socket, error) { return 0, errors.ErrUnsupported }

// Read returns an error.
func (Socket) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Write returns an error.
func (Socket) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Close does nothing.
func (Socket) Close() error { return nil }

// Temporary reports false.
func Temporary(error) bool { return false }

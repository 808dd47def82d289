// Package epoll lets one goroutine serve many sockets: it tells which of them can
// be read, and reads and writes them without ever waiting.
//
// # The law of this room
//
// A Socket belongs to whoever made it, until it is closed or given to Go's own
// network poller by Conn. It is with one of the two pollers at a time: with both,
// each packet would wake two threads.
//
// Reading, writing and accepting are system calls that Go's scheduler is not told
// of, since none of them can wait. Waiting is one of which it is; see Poller.Wait
// for the two ways to do it.
//
// Where there is no epoll, everything returns an error that wraps
// errors.ErrUnsupported, and the caller does without.
package epoll

import "errors"

// ErrAgain says that a socket has nothing to read, to accept, or no room for more.
var ErrAgain = errors.New("the socket is not ready")

package cacheserver

import (
	"errors"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/epoll"
)

// output is the writer of a loop: it sends what the socket takes at once, and keeps
// the rest.
type output struct {
	socket epoll.Socket
	rest   []byte
}

func (o *output) reset(to epoll.Socket) { o.socket, o.rest = to, o.rest[:0] }

// Write never writes less than all. An error is the socket's end.
func (o *output) Write(p []byte) (int, error) {
	n := 0
	if len(o.rest) == 0 {
		var err error
		if n, err = o.socket.Write(p); err != nil && !errors.Is(err, epoll.ErrAgain) {
			return 0, err
		}
	}
	o.rest = append(o.rest, p[n:]...)
	return len(p), nil
}

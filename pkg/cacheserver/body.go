package cacheserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/valyala/fasthttp"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// readBody returns the request's body and what gives its memory back. It reads
// no more than one byte beyond the limit, and it returns a whole body or none:
// a client that breaks off must not have stored the beginning.
func (s *Server) readBody(ctx *fasthttp.RequestCtx, limit int) (body []byte, release func(), refused *refusal) {
	length := ctx.Request.Header.ContentLength()
	if length > limit {
		return nil, nil, tooLarge(limit)
	}
	stream := ctx.RequestBodyStream()
	if stream == nil || length == 0 {
		return nil, func() {}, nil
	}
	room := length
	if length < 0 { // chunked: any length up to the limit may come
		room = limit
	}
	p, refused := s.payloads.borrow(room, patient)
	if refused != nil {
		refused.cut = true
		return nil, nil, refused
	}
	if length < 0 {
		p.buf, refused = readChunked(stream, p.buf, limit)
	} else {
		p.buf, refused = readExactly(stream, p.buf[:length])
	}
	if refused != nil {
		_ = p.Close()
		return nil, nil, refused
	}
	return p.buf, func() { _ = p.Close() }, nil
}

// readExactly fills buf. fasthttp reports a body that ends early as a normal
// end, so the length is what tells.
func readExactly(stream io.Reader, buf []byte) ([]byte, *refusal) {
	if n, err := io.ReadFull(stream, buf); err != nil {
		return buf, brokenOff(err, fmt.Sprintf("%d of %d bytes", n, len(buf)))
	}
	return buf, nil
}

func readChunked(stream io.Reader, buf []byte, limit int) ([]byte, *refusal) {
	buf = buf[:limit+1] // borrowed with slack for more than this one byte
	n := 0
	for n <= limit {
		m, err := stream.Read(buf[n:])
		n += m
		if errors.Is(err, io.EOF) && n <= limit {
			return buf[:n], nil
		}
		if err != nil && n <= limit {
			return buf[:n], brokenOff(err, fmt.Sprintf("%d bytes", n))
		}
	}
	return buf, tooLarge(limit)
}

func brokenOff(err error, after string) *refusal {
	r := refuse(http.StatusBadRequest, "the body ended after "+after+": nothing was stored")
	var network net.Error
	if errors.As(err, &network) && network.Timeout() {
		r = refuse(http.StatusRequestTimeout, "the body did not arrive in time, only "+after+": nothing was stored")
	}
	r.cut = true
	return r
}

// bodyLimit is the longest body that is read at path.
func (s *Server) bodyLimit(path []byte) int {
	if string(path) == batchPath {
		return batch.MaxBytes
	}
	return s.cache.MaxValueSize()
}

func tooLarge(limit int) *refusal {
	r := refuse(http.StatusRequestEntityTooLarge,
		fmt.Sprintf("the body is over the limit of %d bytes: nothing was stored", limit))
	r.cut = true
	return r
}

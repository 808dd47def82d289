package cacheserver

import (
	"io"
	"net"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"
)

const (
	// A client in the middle of sending a body that is refused gets this long,
	// and this many bytes, to notice the answer. Closing at once would reset
	// the connection, and the reset can overtake the answer.
	lingerTime  = time.Second
	lingerBytes = 64 << 20
)

// cutOff answers a request whose body will not be read to its end, and closes
// the connection when the client has had a chance to see the answer. What
// arrives until then is dropped as it comes, at no cost in memory.
func (s *Server) cutOff(ctx *fasthttp.RequestCtx, r *refusal) {
	if r.status != http.StatusRequestEntityTooLarge {
		// Slow or gone: it is not in the middle of sending.
		r.answer(ctx)
		return
	}
	raw := ctx.Conn()
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(c net.Conn) {
		if r.writeTo(c, s.options.WriteTimeout) != nil {
			return
		}
		if half, ok := raw.(interface{ CloseWrite() error }); !ok || half.CloseWrite() != nil {
			return
		}
		if raw.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
			return
		}
		_, _ = io.CopyN(io.Discard, raw, lingerBytes)
	})
}

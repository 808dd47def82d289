package cacheserver

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

const entryMethods = "GET, HEAD, PUT, DELETE"

// serveEntry answers a request for one key.
func (s *Server) serveEntry(ctx *fasthttp.RequestCtx, t target, key []byte) *refusal {
	if ctx.IsPut() {
		return s.put(ctx, t, key)
	}
	read, remove := ctx.IsGet() || ctx.IsHead(), ctx.IsDelete()
	switch {
	case !read && !remove:
		return refuseMethod(ctx.Method(), entryMethods)
	case t.query != nil:
		return unknownQuery(t.query, "this method takes none")
	case remove:
		return s.remove(ctx, key)
	case ctx.IsHead():
		return s.head(ctx, key)
	}
	return s.get(ctx, key)
}

func notFound() *refusal { return refuse(http.StatusNotFound, "no entry under this key") }

// get reads a small value straight into the response's own buffer. Only a large
// one costs a second look.
func (s *Server) get(ctx *fasthttp.RequestCtx, key []byte) *refusal {
	body := ctx.Response.SwapBody(nil)
	body, meta, found := s.cache.GetUpTo(body[:0], key, smallValue)
	ctx.Response.SwapBody(body)
	if !found {
		return notFound()
	}
	if meta.Size > smallValue {
		if onLoop(ctx) {
			return notOnLoop
		}
		return s.getLarge(ctx, key, meta.Size)
	}
	describe(ctx, meta)
	return nil
}

func (s *Server) getLarge(ctx *fasthttp.RequestCtx, key []byte, size int) *refusal {
	// The value can be replaced by a longer one between two looks, seldom
	// twice in a row.
	for range 3 {
		p, refused := s.payloads.borrow(size, patient)
		if refused != nil {
			return refused
		}
		value, meta, found := s.cache.GetUpTo(p.buf, key, p.capacity())
		if found && meta.Size == len(value) {
			p.buf = value
			p.reader.Reset(value)
			ctx.Response.SetBodyStream(p, len(value)) // closes p when sent
			describe(ctx, meta)
			return nil
		}
		_ = p.Close()
		if !found {
			return notFound()
		}
		size = meta.Size
	}
	return refuse(http.StatusServiceUnavailable, "the value changes too fast to be read: try again, or treat it as a miss")
}

func (s *Server) head(ctx *fasthttp.RequestCtx, key []byte) *refusal {
	meta, found := s.cache.Peek(key)
	if !found {
		return notFound()
	}
	ctx.Response.SkipBody = true
	ctx.Response.Header.SetContentLength(meta.Size)
	describe(ctx, meta)
	return nil
}

// describe sets the headers of an entry: Age in whole seconds, and what is left
// of the time to live, rounded up so that an entry still served never shows 0.
func describe(ctx *fasthttp.RequestCtx, meta cache.Meta) {
	var digits [20]byte
	h := &ctx.Response.Header
	h.SetContentType("application/octet-stream")
	h.SetBytesV(fasthttp.HeaderAge, strconv.AppendInt(digits[:0], int64(meta.Age/time.Second), 10))
	if left := secondsLeft(meta); left > 0 {
		h.SetBytesV(ttlHeader, strconv.AppendInt(digits[:0], left, 10))
	}
}

// secondsLeft rounds up what is left of the time to live; 0 if there is none.
func secondsLeft(meta cache.Meta) int64 { return int64((meta.TTL + time.Second - 1) / time.Second) }

func (s *Server) put(ctx *fasthttp.RequestCtx, t target, key []byte) *refusal {
	ttl, refused := parseTTL(t.query, ctx.Request.Header.Peek(ttlHeader))
	if refused != nil {
		return refused
	}
	value, release, refused := s.readBody(ctx, s.cache.MaxValueSize())
	if refused != nil {
		return refused
	}
	defer release()
	switch err := s.cache.Set(key, value, ttl); {
	case errors.Is(err, cache.ErrTooLarge):
		return tooLarge(s.cache.MaxValueSize())
	case err != nil:
		return refuse(http.StatusBadRequest, err.Error())
	}
	ctx.SetStatusCode(http.StatusNoContent)
	return nil
}

func (s *Server) remove(ctx *fasthttp.RequestCtx, key []byte) *refusal {
	if !s.cache.Delete(key) {
		return notFound()
	}
	ctx.SetStatusCode(http.StatusNoContent)
	return nil
}

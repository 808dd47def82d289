package cacheserver

import (
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sk1-services/distributed-cache/pkg/cache"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// usualValue is the guess at the length of values by which an answer's buffer
// is chosen, so that it seldom has to be exchanged for a larger one.
const usualValue = 256

// batchAnswer gathers the results of a batch in a borrowed buffer. There is
// always room for all results without their values.
type batchAnswer struct {
	payloads *payloads
	wait     patience
	// p is the buffer; what it holds is its first bytes, p.buf.
	p *payload
	// pending is the number of operations without a result.
	pending int
	// short says that a larger buffer could not be had.
	short bool
}

// newBatchAnswer returns an answer for count operations, gets of them reads.
func (s *Server) newBatchAnswer(count, gets int, wait patience) (batchAnswer, *refusal) {
	size := count * batch.ResultHeader
	if gets > 0 {
		size += gets*usualValue + smallValue
	}
	p, refused := s.payloads.borrow(min(size, batch.MaxBytes), wait)
	return batchAnswer{payloads: s.payloads, wait: wait, p: p, pending: count}, refused
}

// left is how long the next value may be in this buffer.
func (a *batchAnswer) left() int {
	return min(a.p.capacity(), batch.MaxBytes) - len(a.p.buf) - a.pending*batch.ResultHeader
}

// reserve makes room for a value beside all results to come. It reports false
// if the answer would become too long, or memory is short. The cache needs more
// room for a small value than its length, so what is reserved for one is always
// smallValue.
func (a *batchAnswer) reserve(size int) bool {
	need := len(a.p.buf) + a.pending*batch.ResultHeader + size
	switch {
	case size <= a.left():
		return true
	case need > batch.MaxBytes || a.short:
		return false
	}
	larger, refused := a.payloads.borrow(min(max(need, 4*a.p.capacity()), batch.MaxBytes), a.wait)
	if refused != nil {
		a.short = true // the others are not to wait for it too
		return false
	}
	larger.buf = append(larger.buf, a.p.buf...)
	_ = a.p.Close()
	a.p = larger
	return true
}

// add appends a result without a value.
func (a *batchAnswer) add(o batch.Outcome) batch.Outcome {
	a.p.buf = batch.Result{Outcome: o}.AppendHeader(a.p.buf, 0)
	a.pending--
	return o
}

// appendFound appends the result of a read up to its value.
func appendFound(dst []byte, meta cache.Meta) []byte {
	return batch.Result{
		Outcome: batch.Found,
		Age:     uint32(meta.Age / time.Second),
		TTL:     uint32(secondsLeft(meta)),
	}.AppendHeader(dst, meta.Size)
}

// send makes the answer the response's body.
func (a *batchAnswer) send(ctx *fasthttp.RequestCtx) {
	ctx.Response.Header.SetContentType(batch.MediaType)
	a.p.reader.Reset(a.p.buf)
	ctx.Response.SetBodyStream(a.p, len(a.p.buf)) // closes it when sent
}

package cacheserver

import (
	"fmt"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sk1-services/distributed-cache/pkg/cache"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

const batchPath = "/v1/batch"

// serveBatch answers many operations at once. Nothing is executed before all of
// the request is read and understood.
func (s *Server) serveBatch(ctx *fasthttp.RequestCtx, t target) *refusal {
	h := &ctx.Request.Header
	switch {
	case !ctx.IsPost():
		return refuseMethod(ctx.Method(), http.MethodPost)
	case t.query != nil:
		return unknownQuery(t.query, "a batch takes none")
	case string(h.ContentType()) != batch.MediaType:
		return refuse(http.StatusUnsupportedMediaType,
			fmt.Sprintf("the body is said to be %q: send Content-Type: %s", clip(h.ContentType()), batch.MediaType))
	}
	body, release, refused := s.readBody(ctx, batch.MaxBytes)
	if refused != nil {
		return refused
	}
	defer release()
	count, gets, refused := checkBatch(body)
	if refused != nil {
		return refused
	}
	a, refused := s.newBatchAnswer(count, gets, patienceFor(ctx))
	if refused != nil {
		return refused
	}
	for len(body) > 0 {
		var o batch.Operation
		o, body, _ = batch.ReadOperation(body) // checked above
		s.metrics.countResult(s.execute(&a, o))
	}
	a.send(ctx)
	return nil
}

// execute does one operation and appends its result.
func (s *Server) execute(a *batchAnswer, o batch.Operation) batch.Outcome {
	switch o.Verb {
	case batch.Get:
		return s.getInto(a, o.Key)
	case batch.Put:
		if s.cache.Set(o.Key, o.Value, time.Duration(o.TTL)*time.Second) != nil {
			return a.add(batch.TooLarge) // all else that Set refuses is checked
		}
		return a.add(batch.Stored)
	case batch.Delete:
		if s.cache.Delete(o.Key) {
			return a.add(batch.Removed)
		}
	}
	return a.add(batch.Missing)
}

// getInto reads a value straight to its place in the answer.
func (s *Server) getInto(a *batchAnswer, key []byte) batch.Outcome {
	limit := smallValue
	// A value larger than that costs a second look, and may be replaced by a
	// still larger one meanwhile.
	for range 2 {
		if !a.reserve(limit) {
			break
		}
		size, outcome := s.appendValue(a, key, limit)
		if size <= limit {
			return outcome
		}
		limit = size
	}
	return a.add(batch.AskSingly)
}

// appendValue reads a value of up to limit bytes, for which there is room, and
// appends its result. Of a longer one it tells the size and appends nothing.
func (s *Server) appendValue(a *batchAnswer, key []byte, limit int) (size int, outcome batch.Outcome) {
	start := len(a.p.buf)
	dst := appendFound(a.p.buf, cache.Meta{}) // its place, for now
	dst, meta, found := s.cache.GetUpTo(dst, key, limit)
	switch {
	case !found:
		return 0, a.add(batch.Missing)
	case meta.Size > limit:
		return meta.Size, batch.AskSingly
	}
	appendFound(dst[:start], meta)
	a.p.buf = dst
	a.pending--
	return meta.Size, batch.Found
}

// checkBatch reads all operations and counts them, or says what is wrong with
// the first that cannot be executed.
func checkBatch(body []byte) (count, gets int, refused *refusal) {
	for rest := body; len(rest) > 0; count++ {
		if count == batch.MaxOperations {
			return 0, 0, refuse(http.StatusRequestEntityTooLarge,
				fmt.Sprintf("the batch has more than %d operations: send several; nothing was done", batch.MaxOperations))
		}
		o, next, err := batch.ReadOperation(rest)
		problem := ""
		if err != nil {
			problem = err.Error()
		} else {
			problem = checkOperation(o)
		}
		if problem != "" {
			return 0, 0, refuse(http.StatusBadRequest, fmt.Sprintf("operation %d of the batch, at byte %d: %s; nothing was done",
				count+1, len(body)-len(rest), problem))
		}
		if o.Verb == batch.Get {
			gets++
		}
		rest = next
	}
	return count, gets, nil
}

func checkOperation(o batch.Operation) string {
	switch {
	case o.Verb != batch.Get && o.Verb != batch.Put && o.Verb != batch.Delete:
		return fmt.Sprintf("the verb is %d, not 1 (get), 2 (put) or 3 (delete)", o.Verb)
	case len(o.Key) == 0 || len(o.Key) > cache.MaxKeySize:
		return fmt.Sprintf("the key has %d bytes, not 1 to %d", len(o.Key), cache.MaxKeySize)
	case int64(o.TTL) > maxTTLSeconds:
		return fmt.Sprintf("the ttl of %d s is not 0 (no expiry) to %d (ten years)", o.TTL, maxTTLSeconds)
	case o.Verb != batch.Put && (o.TTL != 0 || len(o.Value) > 0):
		return "only a put has a ttl and a value"
	}
	return ""
}

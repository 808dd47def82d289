package cacheserver

import (
	"bytes"
	"context"
	"io"
	"math/bits"
	"net/http"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/semaphore"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// smallValue is the size up to which a value travels in its connection's own
// buffers. It is within cache.ConnectionCost.
const smallValue = 8 << 10

// payloads lends buffers for larger values, and never more of them at a time
// than the budget. Slow clients hold theirs for as long as the timeouts allow;
// beyond that the budget makes the others wait, not the process grow. Buffers
// for small values are lent without: each connection has room for one, and who
// stores small values is not to wait for slow senders of large ones.
type payloads struct {
	budget *semaphore.Weighted
	wait   time.Duration
	// pools[i] holds buffers for values of up to 1<<i bytes.
	pools [32]sync.Pool
}

// payload is a borrowed buffer. It is returned by Close, once.
type payload struct {
	buf    []byte
	class  int
	owner  *payloads
	reader bytes.Reader
}

func newPayloads(total int64, wait time.Duration) *payloads {
	return &payloads{budget: semaphore.NewWeighted(total), wait: wait}
}

// patience says whether to wait for memory. Who has none is refused with
// notOnLoop.
type patience bool

const (
	patient   patience = true
	impatient patience = false
)

// patienceFor is that of a request: a loop has none.
func patienceFor(ctx *fasthttp.RequestCtx) patience { return patience(!onLoop(ctx)) }

// borrow returns an empty buffer with room for a value of size bytes and for
// what the cache needs behind it.
func (p *payloads) borrow(size int, wait patience) (*payload, *refusal) {
	class := bits.Len(uint(max(size, smallValue) - 1))
	if cost := costOf(class); cost > 0 && !p.budget.TryAcquire(cost) {
		if wait == impatient {
			return nil, notOnLoop
		}
		ctx, cancel := context.WithTimeout(context.Background(), p.wait)
		defer cancel()
		if p.budget.Acquire(ctx, cost) != nil {
			return nil, refuse(http.StatusServiceUnavailable, "too many large values are under way: try again, or treat it as a miss")
		}
	}
	b, ok := p.pools[class].Get().(*payload)
	if !ok {
		b = &payload{buf: make([]byte, 0, 1<<class+cache.ReadSlack), class: class, owner: p}
	}
	return b, nil
}

// costOf is what a buffer takes of the budget.
func costOf(class int) int64 {
	if size := int64(1) << class; size > smallValue {
		return size
	}
	return 0
}

// capacity is the longest value that fits.
func (b *payload) capacity() int { return 1 << b.class }

// Read and Close make a payload a response body that goes back when sent.
func (b *payload) Read(p []byte) (int, error) { return b.reader.Read(p) }

// WriteTo spares the copying through a buffer.
func (b *payload) WriteTo(w io.Writer) (int64, error) { return b.reader.WriteTo(w) }

func (b *payload) Close() error {
	b.buf = b.buf[:0]
	b.reader.Reset(nil)
	b.owner.pools[b.class].Put(b)
	if cost := costOf(b.class); cost > 0 {
		b.owner.budget.Release(cost)
	}
	return nil
}

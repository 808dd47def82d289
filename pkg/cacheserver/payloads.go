package cacheserver

import (
	"bytes"
	"context"
	"math/bits"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// smallValue is the size up to which a value travels in its connection's own
// buffers. It is within cache.ConnectionCost.
const smallValue = 8 << 10

// payloads lends buffers for larger values, and never more of them at a time
// than the budget. Slow clients hold theirs for as long as the timeouts allow;
// beyond that the budget makes the others wait, not the process grow.
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

// borrow returns an empty buffer with room for a value of size bytes and for
// what the cache needs behind it.
func (p *payloads) borrow(size int) (*payload, *refusal) {
	class := bits.Len(uint(max(size, smallValue) - 1))
	if !p.budget.TryAcquire(1 << class) {
		ctx, cancel := context.WithTimeout(context.Background(), p.wait)
		defer cancel()
		if p.budget.Acquire(ctx, 1<<class) != nil {
			return nil, refuse(http.StatusServiceUnavailable, "too many large values are under way: try again, or treat it as a miss")
		}
	}
	b, ok := p.pools[class].Get().(*payload)
	if !ok {
		b = &payload{buf: make([]byte, 0, 1<<class+cache.ReadSlack), class: class, owner: p}
	}
	return b, nil
}

// capacity is the longest value that fits.
func (b *payload) capacity() int { return 1 << b.class }

// Read and Close make a payload a response body that goes back when sent.
func (b *payload) Read(p []byte) (int, error) { return b.reader.Read(p) }

func (b *payload) Close() error {
	b.buf = b.buf[:0]
	b.reader.Reset(nil)
	b.owner.pools[b.class].Put(b)
	b.owner.budget.Release(1 << b.class)
	return nil
}

package cacheclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

var (
	// ErrNoRing says that nobody owns a key: no ring has been seen yet, or it is empty.
	ErrNoRing = errors.New("the cache has no members yet")
	// ErrClosed is returned by every method that is called, or under way, after Close.
	ErrClosed = errors.New("the cache client is closed")
)

// Client is a client of one cache, safe for concurrent use.
type Client struct {
	options Options
	// life ends with Close.
	life context.Context
	stop context.CancelFunc
	// silence is the reason of a request that took longer than the timeout.
	silence error
	dialer  *dialer
	flights flights
	current atomic.Pointer[view]
	// publishing orders the rings, also of a source that publishes several at a time.
	publishing sync.Mutex
	// first is closed when a first ring has been seen.
	first chan struct{}
	// done is closed when the source has ended, with ended as its error.
	done  chan struct{}
	ended error
}

// view is one ring with its router and its members.
type view struct {
	snapshot Snapshot
	router   *ring.Router
	members  map[string]*member
}

// locate is the owner of a key, and nil if the ring is empty or v is nil.
func (v *view) locate(key []byte) *member {
	if v == nil {
		return nil
	}
	name, _ := v.router.Locate(key)
	return v.members[name]
}

// New starts a client, or says which option is wrong. It does not wait for a ring: until there is
// one, everything is a miss. Close ends the client.
func New(options Options) (*Client, error) {
	options = options.withDefaults()
	if err := options.validate(); err != nil {
		return nil, err
	}
	life, stop := context.WithCancel(context.Background())
	c := &Client{
		options: options,
		life:    life,
		stop:    stop,
		silence: fmt.Errorf("no answer within %s", options.Timeout),
		dialer:  newDialer(life, options),
		first:   make(chan struct{}),
		done:    make(chan struct{}),
	}
	go func() {
		defer close(c.done)
		c.ended = options.Source.Run(life, c.publish)
	}()
	return c, nil
}

// Close ends the client, its source, every request under way (with ErrClosed) and every
// connection. It returns when the source has ended, with the source's error if it had one.
func (c *Client) Close() error {
	c.stop()
	c.dialer.closeAll()
	<-c.done
	c.publishing.Lock()
	defer c.publishing.Unlock()
	if v := c.current.Load(); v != nil {
		for _, m := range v.members {
			m.retire()
		}
	}
	return c.ended
}

// publish is told of a ring by the source.
func (c *Client) publish(next Snapshot) {
	c.publishing.Lock()
	defer c.publishing.Unlock()
	if c.life.Err() != nil {
		return
	}
	was := c.current.Load()
	if was != nil && same(was.snapshot, next) {
		return
	}
	if err := c.take(was, next); err != nil {
		if c.options.Hooks.RingPassedOver != nil {
			c.options.Hooks.RingPassedOver(next, err)
		}
		return
	}
	if was == nil {
		close(c.first)
	}
	if c.options.Hooks.RingTaken != nil {
		c.options.Hooks.RingTaken(next)
	}
}

// take makes next the present ring, or says why not.
func (c *Client) take(was *view, next Snapshot) error {
	if was != nil {
		if err := supersedes(next, was.snapshot); err != nil {
			return err
		}
	}
	if _, err := next.Ring.Encode(); err != nil { // it holds to every rule, not only the router's
		return err
	}
	router, err := ring.NewRouter(next.Ring.Members)
	if err != nil {
		return err
	}
	v := &view{snapshot: copied(next), router: router, members: make(map[string]*member, len(next.Ring.Members))}
	for _, name := range next.Ring.Members {
		v.members[name] = c.member(was, next.Owner, name)
	}
	c.current.Store(v)
	if was != nil {
		for name, m := range was.members {
			if v.members[name] != m {
				m.retire()
			}
		}
	}
	return nil
}

// member is the member of that name, as it was known before. The pods of another owner are others
// and only bear the same names.
func (c *Client) member(was *view, owner, name string) *member {
	if was != nil && was.snapshot.Owner == owner {
		if m := was.members[name]; m != nil {
			return m
		}
	}
	return newMember(name, c.dialer, c.options)
}

// Wait returns when a first ring has been seen, even an empty one, or with an error when ctx ends,
// the source cannot work, or the client is closed.
func (c *Client) Wait(ctx context.Context) error {
	select {
	case <-c.first:
		return nil
	default:
	}
	select {
	case <-c.first:
		return nil
	case <-c.done:
		if c.life.Err() != nil && c.ended == nil {
			return ErrClosed
		}
		return fmt.Errorf("source of rings: %w", cmp.Or(c.ended, ErrNoRing))
	case <-ctx.Done():
		return fmt.Errorf("wait for the first ring: %w", ctx.Err())
	}
}

// Ring is the present ring, and false before the first. It is a copy.
func (c *Client) Ring() (Snapshot, bool) {
	v := c.current.Load()
	if v == nil {
		return Snapshot{}, false
	}
	return copied(v.snapshot), true
}

func copied(s Snapshot) Snapshot {
	s.Ring.Members = slices.Clone(s.Ring.Members)
	return s
}

// Owner is the member that owns the key, or ErrNoRing.
func (c *Client) Owner(key []byte) (string, error) {
	m := c.current.Load().locate(key)
	if m == nil {
		return "", ErrNoRing
	}
	return m.name, nil
}

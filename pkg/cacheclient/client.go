package cacheclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// ErrNoRing is returned while no ring, or only an empty one, has been seen.
var ErrNoRing = errors.New("the cache has no members yet")

// Options configure a Client.
type Options struct {
	// Source brings the rings. Required.
	Source Source
	// Address gives the host:port of a member. Required. It is asked on every connect, and the
	// name in it is resolved on every connect, so that a restarted pod is found at its new IP.
	Address func(member string) string
	// Timeout bounds a request to a member; 0 means 500 ms. A member that takes longer counts as
	// dead: the request is a miss.
	Timeout time.Duration
	// DialTimeout bounds a connect; 0 means 200 ms.
	DialTimeout time.Duration
	// Unreachable, if not nil, is told of every request whose member could not be reached, which
	// the caller sees as a miss. It must not block.
	Unreachable func(member string, err error)
	// MaxIdlePerMember bounds the idle connections kept to a member; 0 means 16.
	MaxIdlePerMember int
}

// Client is a client of one cache, safe for concurrent use.
type Client struct {
	options Options
	http    *http.Client
	current atomic.Pointer[view]
	first   chan struct{}
	once    sync.Once
	stop    context.CancelFunc
	// done is closed when the source has ended, with ended as its error.
	done  chan struct{}
	ended error
}

// view is one ring with its router.
type view struct {
	snapshot Snapshot
	router   *ring.Router
}

// New starts a client. Close ends it.
func New(options Options) (*Client, error) {
	if options.Source == nil || options.Address == nil {
		return nil, errors.New("cacheclient: Options.Source and Options.Address are required")
	}
	setDefault(&options.Timeout, 500*time.Millisecond)
	setDefault(&options.DialTimeout, 200*time.Millisecond)
	setDefault(&options.MaxIdlePerMember, 16)
	ctx, stop := context.WithCancel(context.Background())
	c := &Client{
		options: options,
		first:   make(chan struct{}),
		stop:    stop,
		done:    make(chan struct{}),
		http: &http.Client{
			Timeout: options.Timeout,
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: options.DialTimeout}).DialContext,
				MaxIdleConnsPerHost: options.MaxIdlePerMember,
				IdleConnTimeout:     30 * time.Second,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	go func() {
		defer close(c.done)
		c.ended = options.Source.Run(ctx, c.publish)
	}()
	return c, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Close ends the client and its source, and gives the source's error if it had one.
func (c *Client) Close() error {
	c.stop()
	<-c.done
	c.http.CloseIdleConnections()
	return c.ended
}

// publish takes a ring over unless it is malformed or older than the present one of its owner.
func (c *Client) publish(s Snapshot) {
	if was := c.current.Load(); was != nil && was.snapshot.Owner == s.Owner && s.Ring.Version <= was.snapshot.Ring.Version {
		return
	}
	router, err := ring.NewRouter(s.Ring.Members)
	if err != nil {
		return
	}
	c.current.Store(&view{snapshot: s, router: router})
	c.once.Do(func() { close(c.first) })
}

// Wait returns when a first ring has been seen, or with an error when ctx ends or the source
// cannot work.
func (c *Client) Wait(ctx context.Context) error {
	select {
	case <-c.first:
		return nil
	case <-c.done:
		return fmt.Errorf("source of rings: %w", cmp.Or(c.ended, ErrNoRing))
	case <-ctx.Done():
		return fmt.Errorf("wait for the first ring: %w", ctx.Err())
	}
}

// Ring is the present ring, and false before the first.
func (c *Client) Ring() (Snapshot, bool) {
	v := c.current.Load()
	if v == nil {
		return Snapshot{}, false
	}
	return v.snapshot, true
}

// Owner is the member that owns the key, or ErrNoRing.
func (c *Client) Owner(key []byte) (string, error) {
	v := c.current.Load()
	if v == nil {
		return "", ErrNoRing
	}
	member, ok := v.router.Locate(key)
	if !ok {
		return "", ErrNoRing
	}
	return member, nil
}

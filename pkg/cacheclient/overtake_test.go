package cacheclient_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/internal/pipes"
)

// store keeps one value, slowly if it is told to.
type store struct {
	mu    sync.Mutex
	value string
	slow  atomic.Int64
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		time.Sleep(time.Duration(s.slow.Load()))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Method {
	case http.MethodPut:
		text := make([]byte, 100)
		n, _ := r.Body.Read(text)
		s.value = string(text[:n])
	case http.MethodDelete:
		s.value = ""
	default:
		if s.value == "" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(s.value))
	}
}

// What was written or deleted while a load ran is newer than what the load read: the load is not
// stored over it, nor does a caller who comes later get it.
func TestWritesOvertakeLoads(t *testing.T) {
	for name, tc := range map[string]struct {
		write func(context.Context, *cacheclient.Client) error
		// slow is how long it takes to store, and later when the write comes: within that, or the load.
		slow, later time.Duration
		want        string
	}{
		"a Delete within the load":    {remove, 0, time.Minute, ""},
		"a Set within the load":       {set, 0, time.Minute, "newer"},
		"a DeleteMany within it":      {removeMany, 0, time.Minute, ""},
		"a SetMany within it":         {setMany, 0, time.Minute, "newer"},
		"a Delete within the storing": {remove, 100 * time.Millisecond, time.Hour + 50*time.Millisecond, ""},
		"a Set within the storing":    {set, 100 * time.Millisecond, time.Hour + 50*time.Millisecond, "newer"},
	} {
		synctest.Test(t, func(t *testing.T) {
			n, s := &pipes.Network{}, &store{}
			n.Serve("a-0", s)
			t.Cleanup(func() { n.Stop("a-0") })
			c := start(t, cacheclient.Options{Source: cacheclient.Fixed(snapshot("uid", 1, 0)), Dial: n.Dial})
			s.slow.Store(int64(tc.slow))
			older := make(chan string, 1)
			go func() {
				value, _ := c.GetOrLoad(t.Context(), []byte("k"), 0, func(context.Context) ([]byte, error) {
					time.Sleep(time.Hour)
					return []byte("older"), nil
				})
				older <- string(value)
			}()
			time.Sleep(tc.later)
			// Two at a time, of whom neither may trust in the other.
			var writers sync.WaitGroup
			for range 2 {
				writers.Go(func() {
					if err := tc.write(t.Context(), c); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
			writers.Wait()
			value, err := c.GetOrLoad(t.Context(), []byte("k"), 0, func(context.Context) ([]byte, error) { return nil, errors.New("none") })
			if string(value) != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("%s: then %q, %v", name, value, err)
			}
			if got := <-older; got != "older" {
				t.Errorf("%s: the load gave %q", name, got)
			}
			if value, found, err := c.Get(t.Context(), []byte("k")); string(value) != tc.want || found != (tc.want != "") || err != nil {
				t.Errorf("%s: in the end %q, %t, %v", name, value, found, err)
			}
		})
	}
}

func remove(ctx context.Context, c *cacheclient.Client) error {
	_, err := c.Delete(ctx, []byte("k"))
	return err
}

func removeMany(ctx context.Context, c *cacheclient.Client) error {
	_, err := c.DeleteMany(ctx, [][]byte{[]byte("k")})
	return err
}

func set(ctx context.Context, c *cacheclient.Client) error {
	_, err := c.Set(ctx, []byte("k"), []byte("newer"), 0)
	return err
}

func setMany(ctx context.Context, c *cacheclient.Client) error {
	_, err := c.SetMany(ctx, []cacheclient.Entry{{Key: []byte("k"), Value: []byte("newer")}})
	return err
}

// Each caller of a load owns its value, and the load has the values of the first one's context.
func TestWhatALoadGives(t *testing.T) {
	type name struct{}
	c, _ := handOver(t)
	ctx := context.WithValue(t.Context(), name{}, "first")
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			value, err := c.GetOrLoad(ctx, []byte("k"), 0, func(ctx context.Context) ([]byte, error) {
				time.Sleep(10 * time.Millisecond)
				return []byte(ctx.Value(name{}).(string)), nil
			})
			if string(value) != "first" || err != nil {
				t.Errorf("%q, %v", value, err)
			}
			for i := range value { // the race detector sees it if another one looks
				value[i] = 'x'
			}
		})
	}
	callers.Wait()
}

// A key and a value are the caller's again when a method returns, also when it returns early.
func TestArgumentsAreGivenBack(t *testing.T) {
	end := make(chan struct{})
	server := newTracked(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
	defer close(end)
	c := start(t, cacheclient.Options{Source: cacheclient.Fixed(snapshot("uid", 1, 0)), Address: server.address, Timeout: 20 * time.Millisecond})
	key, value := []byte("k"), make([]byte, 32<<20) // more than sockets hold
	for range 3 {
		_, _ = c.Set(t.Context(), key, value, 0)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = c.GetOrLoad(ctx, key, 0, func(context.Context) ([]byte, error) { return value[:1], nil })
		for i := 0; i < len(value); i += 512 {
			value[i]++
		}
		key[0]++
		time.Sleep(150 * time.Millisecond)
	}
}

package cacheclient_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/internal/pipes"
)

// Close in the middle of everything ends it all at once; a goroutine that is left, or time that
// passes, fails the test.
func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &pipes.Network{}
		n.Serve("a-0", nil)
		defer n.Stop("a-0")
		c, err := cacheclient.New(cacheclient.Options{
			Source: cacheclient.Fixed(snapshot("uid", 1, 0)), Dial: n.Dial, Timeout: time.Hour, MaxConnsPerMember: 8,
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, key := context.Background(), []byte("k")
		calls := []func() error{
			func() error { _, _, err := c.Get(ctx, key); return err },
			func() error { _, err := c.Set(ctx, key, make([]byte, 1<<20), 0); return err },
			func() error { _, err := c.Delete(ctx, key); return err },
			func() error { _, err := c.GetMany(ctx, [][]byte{key, {1}, {2}, {3}}); return err },
			func() error { _, err := c.SetMany(ctx, []cacheclient.Entry{{Key: key}, {Key: key}}); return err },
			func() error { _, err := c.DeleteMany(ctx, [][]byte{key, key, key}); return err },
			func() error { _, err := c.GetOrLoad(ctx, key, 0, nil); return err },
		}
		ended := make(chan error, 10*len(calls))
		begun := time.Now()
		for range 10 {
			for _, call := range calls {
				go func() { ended <- call() }()
			}
		}
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		for range cap(ended) {
			if err := <-ended; !errors.Is(err, cacheclient.ErrClosed) {
				t.Errorf("under way: %v", err)
			}
		}
		for i, call := range calls {
			if err := call(); !errors.Is(err, cacheclient.ErrClosed) {
				t.Errorf("call %d afterwards: %v", i, err)
			}
		}
		if took := time.Since(begun); took > 0 {
			t.Errorf("took %s", took)
		}
		if err := c.Close(); err != nil {
			t.Errorf("Close again: %v", err)
		}
	})
}

// It also ends loads, and who waits for them.
func TestCloseEndsLoads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := cacheclient.New(cacheclient.Options{Source: make(handed, 1), Address: nowhere})
		if err != nil {
			t.Fatal(err)
		}
		var told atomic.Value
		ended := make(chan error, 5)
		for range cap(ended) {
			go func() {
				_, err := c.GetOrLoad(context.Background(), []byte("k"), 0, func(ctx context.Context) ([]byte, error) {
					<-ctx.Done()
					told.Store(ctx.Err())
					return nil, ctx.Err()
				})
				ended <- err
			}()
		}
		synctest.Wait()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		for range cap(ended) {
			if err := <-ended; !errors.Is(err, cacheclient.ErrClosed) {
				t.Errorf("got %v", err)
			}
		}
		synctest.Wait()
		if told.Load() == nil {
			t.Error("the load was not told")
		}
	})
}

// Wait ends with Close too, and a ring that comes late is not taken over.
func TestCloseEndsWait(t *testing.T) {
	c, publish := handOver(t)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait(context.Background()) }()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, cacheclient.ErrClosed) {
		t.Errorf("got %v", err)
	}
	publish(snapshot("uid", 1, 0))
	if s, ok := c.Ring(); ok {
		t.Errorf("took over %v", s)
	}
	want := []string{cacheclient.ErrClosed.Error(), cacheclient.ErrClosed.Error(), cacheclient.ErrClosed.Error()}
	if diff := cmp.Diff(want, outcome(t.Context(), c)); diff != "" {
		t.Errorf("get, set, delete: -want +got:\n%s", diff)
	}
}

type leaving struct{ ended atomic.Bool }

func (l *leaving) Run(ctx context.Context, _ func(cacheclient.Snapshot)) error {
	<-ctx.Done()
	l.ended.Store(true)
	return nil
}

// Close waits for the source.
func TestCloseWaitsForTheSource(t *testing.T) {
	source := &leaving{}
	c, err := cacheclient.New(cacheclient.Options{Source: source, Address: nowhere})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil || !source.ended.Load() {
		t.Errorf("got %v, the source has ended: %t", err, source.ended.Load())
	}
}

package cacheclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
)

// origin is where values come from. It counts the loads of each key.
type origin struct {
	mu    sync.Mutex
	loads map[string]int
}

func (o *origin) load(key string) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) {
		time.Sleep(time.Millisecond)
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.loads == nil {
			o.loads = map[string]int{}
		}
		o.loads[key]++
		return []byte("value of " + key), nil
	}
}

// crowd lets 50 callers ask for every key at once.
func crowd(t *testing.T, c *cacheclient.Client, o *origin, keys int) {
	t.Helper()
	var callers sync.WaitGroup
	for i := range keys {
		key := fmt.Sprintf("user:%d", i)
		for range 50 {
			callers.Go(func() {
				value, err := c.GetOrLoad(context.Background(), []byte(key), time.Minute, o.load(key))
				if string(value) != "value of "+key || err != nil {
					t.Errorf("%s: %q, %v", key, value, err)
				}
			})
		}
	}
	callers.Wait()
}

// Fifty callers of a cold key make one load; so they do right after the ring grew, and only for
// keys that have another owner.
func TestJ19OneLoadPerKey(t *testing.T) {
	const keys = 30
	members := make([]*member, 11)
	for i := range members {
		members[i] = newMember(t)
	}
	for _, n := range []int{1, 10} {
		c, publish := handOverTo(t, cacheclient.Options{
			Address: func(name string) string {
				var i int
				_, _ = fmt.Sscanf(name, "a-%d", &i)
				return members[i].Listener.Addr().String()
			},
			Timeout: time.Minute, DialTimeout: time.Minute, MaxConnsPerMember: 16,
		})
		ordinals := make([]int, n+1)
		for i := range ordinals {
			ordinals[i] = i
			members[i].forget()
		}
		owners := func() (names [keys]string) {
			for i := range names {
				names[i], _ = c.Owner(fmt.Appendf(nil, "user:%d", i))
			}
			return names
		}
		publish(snapshot("uid", 1, ordinals[:n]...))
		cold := &origin{}
		crowd(t, c, cold, keys)
		before := owners()
		publish(snapshot("uid", 2, ordinals...))
		after, grown := owners(), &origin{}
		crowd(t, c, grown, keys)
		moved := 0
		for i := range keys {
			want := 0
			if before[i] != after[i] {
				want, moved = 1, moved+1
			}
			key := fmt.Sprintf("user:%d", i)
			if cold.loads[key] != 1 || grown.loads[key] != want {
				t.Errorf("%s, ring of %d: %d cold loads and %d of %d after it grew", key, n, cold.loads[key], grown.loads[key], want)
			}
		}
		if moved == 0 {
			t.Errorf("no key moved from %d to %d members", n, n+1)
		}
	}
}

// While the ring changes under the callers' feet, a key is loaded once per ring at the most; and
// without a cache, one load at a time serves all.
func TestJ19LoadsAreBounded(t *testing.T) {
	members := []*member{newMember(t), newMember(t)}
	c, publish := handOverTo(t, cacheclient.Options{
		Address: func(name string) string { return members[name[2]-'0'].Listener.Addr().String() },
		Timeout: time.Minute, DialTimeout: time.Minute,
	})
	publish(snapshot("uid", 1, 0))
	o := &origin{}
	changed := make(chan struct{})
	go func() {
		defer close(changed)
		publish(snapshot("uid", 2, 0, 1))
	}()
	crowd(t, c, o, 20)
	<-changed
	for key, n := range o.loads {
		if n > 2 {
			t.Errorf("%s: %d loads", key, n)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		c, _ := handOver(t)
		for i := 1; i <= 3; i++ {
			o := &origin{}
			crowd(t, c, o, 1)
			if o.loads["user:0"] != 1 {
				t.Errorf("%d loads without a ring", o.loads["user:0"])
			}
		}
	})
}

// A cache that is not there, or wants neither the key nor the value, keeps nobody from the value.
func TestGetOrLoadWithoutACache(t *testing.T) {
	dead, full := newMember(t), newMember(t)
	deadClient := newClient(t, dead)
	dead.Close()
	full.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) }
	ringless, _ := handOver(t)
	for name, c := range map[string]*cacheclient.Client{"no ring": ringless, "a dead member": deadClient, "refusals": newClient(t, full)} {
		for range 2 {
			o := &origin{}
			value, err := c.GetOrLoad(t.Context(), []byte("k"), 0, o.load("k"))
			if string(value) != "value of k" || err != nil || o.loads["k"] != 1 {
				t.Errorf("%s: %q, %v, %d loads", name, value, err, o.loads["k"])
			}
		}
	}
}

// What a load ends with other than a value is told to all who wait, and not stored.
func TestALoadFails(t *testing.T) {
	m := newMember(t)
	c := newClient(t, m)
	cause := errors.New("the origin is down")
	for name, tc := range map[string]struct {
		load func(context.Context) ([]byte, error)
		want string
	}{
		"an error": {func(context.Context) ([]byte, error) { return []byte("half"), cause }, `load "k": the origin is down`},
		"a panic":  {func(context.Context) ([]byte, error) { panic("at the disco") }, `load "k": panic: at the disco`},
		"an exit":  {func(context.Context) ([]byte, error) { runtime.Goexit(); return nil, nil }, `load "k": the load ended its goroutine`},
	} {
		var callers sync.WaitGroup
		for range 5 {
			callers.Go(func() {
				value, err := c.GetOrLoad(t.Context(), []byte("k"), 0, tc.load)
				if value != nil || err == nil || !strings.HasPrefix(err.Error(), tc.want) {
					t.Errorf("%s: %q, %v", name, value, err)
				}
				var panicked *cacheclient.LoadPanicError
				if errors.As(err, &panicked) != (name == "a panic") || errors.Is(err, cause) != (name == "an error") {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		callers.Wait()
	}
	for _, line := range m.requests() {
		if strings.HasPrefix(line, "PUT") {
			t.Errorf("sent %s", line)
		}
	}
}

// A caller that gives up leaves the load to the others; the last one ends it.
func TestCallersOfALoadGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := handOver(t)
		var loads, told atomic.Int32
		load := func(ctx context.Context) ([]byte, error) {
			loads.Add(1)
			select {
			case <-time.After(time.Hour):
				return []byte("v"), nil
			case <-ctx.Done():
				told.Add(1)
				return nil, ctx.Err()
			}
		}
		ask := func(patience time.Duration) error {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			_, err := c.GetOrLoad(ctx, []byte("k"), 0, load)
			return err
		}
		patient := make(chan error, 1)
		go func() { patient <- ask(2 * time.Hour) }()
		synctest.Wait()
		if err := ask(time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("impatient: %v", err)
		}
		if err := <-patient; err != nil || loads.Load() != 1 || told.Load() != 0 {
			t.Errorf("patient: %v, %d loads, %d told", err, loads.Load(), told.Load())
		}
		if err := ask(time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("alone: %v", err)
		}
		synctest.Wait()
		if loads.Load() != 2 || told.Load() != 1 {
			t.Errorf("%d loads, %d told", loads.Load(), told.Load())
		}
	})
}

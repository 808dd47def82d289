package cacheclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/internal/pipes"
)

func batchOf(n int) (keys [][]byte, entries []cacheclient.Entry) {
	for i := range n {
		keys = append(keys, fmt.Appendf(nil, "key-%d", i))
		entries = append(entries, cacheclient.Entry{Key: keys[i], Value: fmt.Appendf(nil, "value-%d", i), TTL: time.Minute})
	}
	return keys, entries
}

func TestBatches(t *testing.T) {
	members := []*member{newMember(t), newMember(t), newMember(t)}
	c := newClient(t, members...)
	keys, entries := batchOf(200)
	stored, err := c.SetMany(t.Context(), entries)
	if n := count(stored); n != 200 || err != nil {
		t.Fatalf("%d stored, %v", n, err)
	}
	for i := range 100 { // every other is removed, and one that is not there
		keys[2*i], keys[2*i+1] = keys[2*i+1], fmt.Appendf(nil, "other-%d", i)
	}
	removed, err := c.DeleteMany(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range removed {
		if want := i%2 == 0; got != want {
			t.Errorf("%s: removed is %t", keys[i], got)
		}
	}
	keys, _ = batchOf(200)
	values, err := c.GetMany(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range values {
		want := cacheclient.Value{}
		if i%2 == 0 {
			want = cacheclient.Value{Bytes: entries[i].Value, Found: true}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -want +got:\n%s", keys[i], diff)
		}
	}
	for i, m := range members {
		if len(m.requests()) < 100 {
			t.Errorf("member %d got %d requests", i, len(m.requests()))
		}
	}
}

func count(done []bool) (n int) {
	for _, d := range done {
		if d {
			n++
		}
	}
	return n
}

// The members work at once, each on a few keys at a time; what a silent one holds is a miss after
// one timeout, and not after one for each of its keys.
func TestABatchWithASilentMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &pipes.Network{}
		var running, most atomic.Int32
		for _, name := range []string{"a-0", "a-1"} {
			n.Serve(name, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				most.Store(max(most.Load(), running.Add(1)))
				time.Sleep(time.Millisecond)
				running.Add(-1)
			}))
			t.Cleanup(func() { n.Stop(name) })
		}
		n.Serve("a-2", nil)
		t.Cleanup(func() { n.Stop("a-2") })
		c := start(t, cacheclient.Options{Source: cacheclient.Fixed(snapshot("uid", 1, 0, 1, 2)), Dial: n.Dial})
		keys, _ := batchOf(300)
		begun := time.Now()
		values, err := c.GetMany(t.Context(), keys)
		if took := time.Since(begun); err != nil || took != 500*time.Millisecond {
			t.Errorf("%v after %s", err, took)
		}
		for i, key := range keys {
			if owner, _ := c.Owner(key); values[i].Found != (owner != "a-2") {
				t.Errorf("%s of %s: found is %t", key, owner, values[i].Found)
			}
		}
		// The members know no batches. Of the silent one, one request is all that it is asked.
		if got := most.Load(); got < 9 || got > 16 || n.Dials("a-2") != 1 {
			t.Errorf("%d requests at a time, %d connects to the silent member", got, n.Dials("a-2"))
		}
	})
}

// A refused key is an error that names it; the others stand.
func TestABatchWithRefusedKeys(t *testing.T) {
	m := newMember(t)
	m.answer = func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.RequestURI, "7") {
			http.Error(w, "no sevens", http.StatusBadRequest)
		}
	}
	c := newClient(t, m)
	keys, entries := batchOf(30)
	_, err := c.GetMany(t.Context(), keys)
	if want := `3 keys of the batch, the first "key-7": refused: 400 Bad Request: no sevens`; !errors.Is(err, cacheclient.ErrRefused) || err.Error() != want {
		t.Errorf("get: %v", err)
	}
	for i := range entries {
		entries[i].TTL = 0
	}
	stored, err := c.SetMany(t.Context(), entries)
	if count(stored) != 27 || !errors.Is(err, cacheclient.ErrRefused) {
		t.Errorf("set: %d stored, %v", count(stored), err)
	}
	removed, err := c.DeleteMany(t.Context(), keys)
	if count(removed) != 27 || !errors.Is(err, cacheclient.ErrRefused) {
		t.Errorf("delete: %d removed, %v", count(removed), err)
	}
}

// Without a ring all of a batch is a miss; a batch of nothing is nothing; and a caller that gave
// up, before or within, is told so.
func TestBatchesWithoutAnswers(t *testing.T) {
	keys, entries := batchOf(10)
	c, _ := handOver(t)
	values, getErr := c.GetMany(t.Context(), keys)
	stored, setErr := c.SetMany(t.Context(), entries)
	removed, deleteErr := c.DeleteMany(t.Context(), keys)
	if err := errors.Join(getErr, setErr, deleteErr); err != nil || len(values) != 10 || len(stored) != 10 || count(stored)+count(removed) > 0 {
		t.Errorf("without a ring: %v, %v, %v, %v", values, stored, removed, err)
	}
	m := newMember(t)
	c = newClient(t, m)
	if values, err := c.GetMany(t.Context(), nil); len(values) > 0 || err != nil {
		t.Errorf("of nothing: %v, %v", values, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	m.answer = func(http.ResponseWriter, *http.Request) { cancel() }
	for _, when := range []string{"within", "before"} {
		if values, err := c.GetMany(ctx, keys); len(values) != 10 || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, %v", when, values, err)
		}
	}
	if n := len(m.requests()); n > 10 {
		t.Errorf("%d requests", n)
	}
}

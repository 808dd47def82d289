package cacheclient_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// events notes what the hook is told.
type events struct {
	mu   sync.Mutex
	list []cacheclient.Event
}

func (e *events) tell(one cacheclient.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.list = append(e.list, one)
}

// taken gives the events so far and forgets them.
func (e *events) taken() []cacheclient.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	defer func() { e.list = nil }()
	return e.list
}

// Many keys go in few requests, to the real server, and mean what they mean singly.
func TestBatchesSpareRequests(t *testing.T) {
	listener, _ := serve(t, "127.0.0.1:0", cacheserver.Options{})
	var seen events
	c := start(t, cacheclient.Options{
		Source:  cacheclient.Fixed(snapshot("uid", 1, 0)),
		Address: func(string) string { return listener.Addr().String() },
		Timeout: 30 * time.Second,
		Hooks:   cacheclient.Hooks{Request: seen.tell},
	})
	const n = 3000
	keys, entries := batchOf(n)
	for i := range entries {
		switch {
		case i%100 == 0:
			entries[i].Value = bytes.Repeat([]byte{byte(i)}, 40<<10) // their answers do not fit into one
		case i%1000 == 1:
			entries[i].Value = bytes.Repeat([]byte{byte(i)}, 200<<10) // too large to go with others
		case i%100 == 2:
			entries[i].Value, entries[i].TTL = []byte{}, 0
		}
	}
	stored, err := c.SetMany(t.Context(), entries)
	if got := count(stored); got != n || err != nil {
		t.Fatalf("%d stored, %v", got, err)
	}
	// By count three, by bytes one more, and three by themselves.
	wantEvents(t, seen.taken(), n, n, 7)

	keys = append(keys, []byte("never stored"))
	values, err := c.GetMany(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if i == n {
			if v.Found {
				t.Error("something was found that was never stored")
			}
		} else if !v.Found || !bytes.Equal(v.Bytes, entries[i].Value) {
			t.Fatalf("%s: found %t, %d bytes", keys[i], v.Found, len(v.Bytes))
		}
	}
	if got := seen.taken(); len(got) > 60 {
		t.Errorf("%d requests to read %d keys", len(got), len(keys))
	}
	if value, found, err := c.Get(t.Context(), keys[0]); !found || err != nil || !bytes.Equal(value, entries[0].Value) {
		t.Errorf("singly: %d bytes, %t, %v", len(value), found, err)
	}
	seen.taken()
	removed, err := c.DeleteMany(t.Context(), keys)
	if got := count(removed); got != n || removed[n] || err != nil {
		t.Errorf("%d removed, %v", got, err)
	}
	wantEvents(t, seen.taken(), n+1, n, 3)
}

func wantEvents(t *testing.T, got []cacheclient.Event, keys, done, most int) {
	t.Helper()
	sum, did := 0, 0
	for _, e := range got {
		sum, did = sum+e.Keys, did+e.Done
	}
	if sum != keys || did != done || len(got) > most {
		t.Errorf("%d requests for %d keys, of which %d were done; want at most %d for %d, %d done", len(got), sum, did, most, keys, done)
	}
}

// talker answers batches as it is told to, and single requests as the others do.
func talker(t *testing.T, talk func(w http.ResponseWriter, operations []batch.Operation)) (c *cacheclient.Client, batches func() int) {
	t.Helper()
	m := newMember(t)
	m.answer = func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.RequestURI == "/v1/batch":
			body, _ := io.ReadAll(r.Body)
			var all []batch.Operation
			for len(body) > 0 {
				o, rest, err := batch.ReadOperation(body)
				if err != nil || r.Header.Get("Content-Type") != batch.MediaType {
					http.Error(w, "no batch", http.StatusBadRequest)
					return
				}
				all, body = append(all, o), rest
			}
			talk(w, all)
		case strings.HasSuffix(r.RequestURI, "7"):
			http.Error(w, "no sevens", http.StatusRequestEntityTooLarge)
		default:
			fmt.Fprint(w, "singly")
		}
	}
	return newClient(t, m), func() int {
		return len(slices.DeleteFunc(m.requests(), func(line string) bool { return line != "POST /v1/batch" }))
	}
}

// What a member answers to a batch decides what becomes of its keys.
func TestAnswersToBatches(t *testing.T) {
	found := func(n int) (body []byte) {
		for range n {
			body = batch.Result{Outcome: batch.Found, Value: []byte("together")}.Append(body)
		}
		return body
	}
	for name, tt := range map[string]struct {
		talk func(w http.ResponseWriter, all []batch.Operation)
		// together and singly are how many of ten keys are found so, batches how many requests two
		// calls make.
		together, singly, batches int
		refused                   bool
	}{
		"all":        {func(w http.ResponseWriter, all []batch.Operation) { _, _ = w.Write(found(len(all))) }, 10, 0, 2, false},
		"cut short":  {func(w http.ResponseWriter, all []batch.Operation) { _, _ = w.Write(found(len(all))[:20]) }, 0, 9, 2, true},
		"too few":    {func(w http.ResponseWriter, all []batch.Operation) { _, _ = w.Write(found(len(all) - 1)) }, 0, 9, 2, true},
		"too many":   {func(w http.ResponseWriter, all []batch.Operation) { _, _ = w.Write(found(len(all) + 1)) }, 0, 9, 2, true},
		"old server": {func(w http.ResponseWriter, _ []batch.Operation) { http.Error(w, "", http.StatusNotFound) }, 0, 9, 1, true},
		"refused":    {func(w http.ResponseWriter, _ []batch.Operation) { http.Error(w, "", http.StatusBadRequest) }, 0, 9, 2, true},
		"busy":       {func(w http.ResponseWriter, _ []batch.Operation) { http.Error(w, "", http.StatusServiceUnavailable) }, 0, 0, 2, false},
		"some singly": {func(w http.ResponseWriter, all []batch.Operation) {
			body := found(len(all) - 3)
			for range 3 { // the last, which are 7, 8 and 9
				body = batch.Result{Outcome: batch.AskSingly}.Append(body)
			}
			_, _ = w.Write(body)
		}, 7, 2, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			c, batches := talker(t, tt.talk)
			keys, _ := batchOf(10)
			for range 2 {
				values, err := c.GetMany(t.Context(), keys)
				var together, singly int
				for _, v := range values {
					switch string(v.Bytes) {
					case "together":
						together++
					case "singly":
						singly++
					}
				}
				if together != tt.together || singly != tt.singly || errors.Is(err, cacheclient.ErrRefused) != tt.refused {
					t.Errorf("%d together and %d singly, %v", together, singly, err)
				}
			}
			if n := batches(); n != tt.batches {
				t.Errorf("%d batches, want %d", n, tt.batches)
			}
		})
	}
}

// What cannot go with others goes singly, and its error is its own.
func TestWhatABatchDoesNotTake(t *testing.T) {
	listener, _ := serve(t, "127.0.0.1:0", cacheserver.Options{})
	c := start(t, cacheclient.Options{
		Source:  cacheclient.Fixed(snapshot("uid", 1, 0)),
		Address: func(string) string { return listener.Addr().String() },
		Timeout: 30 * time.Second,
	})
	_, entries := batchOf(6)
	entries[0].Key = bytes.Repeat([]byte("k"), 1025)
	entries[1].Key = nil
	entries[2].Value = make([]byte, 1<<20+1)
	entries[3].TTL = 1<<63 - 1
	stored, err := c.SetMany(t.Context(), entries)
	if count(stored) != 2 || !stored[4] || !stored[5] || !errors.Is(err, cacheclient.ErrRefused) {
		t.Errorf("%v, %v", stored, err)
	}
	if !strings.HasPrefix(fmt.Sprint(err), "4 keys of the batch, the first \"kkk") {
		t.Errorf("error: %v", err)
	}
}

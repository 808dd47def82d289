package cacheserver

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// sendBatch sends operations and returns their results.
func (c *client) sendBatch(operations ...batch.Operation) []batch.Result {
	c.tb.Helper()
	var body []byte
	for _, o := range operations {
		body = o.Append(body)
	}
	a := c.postBatch(string(body))
	a.want(c.tb, "batch", http.StatusOK)
	if a.Header.Get("Content-Type") != batch.MediaType || len(a.body) > batch.MaxBytes {
		c.tb.Fatalf("answer of %d bytes of type %q", len(a.body), a.Header.Get("Content-Type"))
	}
	var results []batch.Result
	for rest := a.body; len(rest) > 0; {
		var r batch.Result
		var err error
		if r, rest, err = batch.ReadResult(rest); err != nil {
			c.tb.Fatalf("result %d: %v", len(results)+1, err)
		}
		results = append(results, r)
	}
	if len(results) != len(operations) {
		c.tb.Fatalf("%d results of %d operations", len(results), len(operations))
	}
	return results
}

func (c *client) postBatch(body string) answer {
	c.tb.Helper()
	return c.do("POST", batchPath, fmt.Sprintf("Content-Type: %s\r\nContent-Length: %d\r\n", batch.MediaType, len(body)), body)
}

func putOp(key, value string, ttl uint32) batch.Operation {
	return batch.Operation{Verb: batch.Put, Key: []byte(key), Value: []byte(value), TTL: ttl}
}
func getOp(key string) batch.Operation { return batch.Operation{Verb: batch.Get, Key: []byte(key)} }
func deleteOp(key string) batch.Operation {
	return batch.Operation{Verb: batch.Delete, Key: []byte(key)}
}

func TestBatch(t *testing.T) {
	var now atomic.Int64
	const limit = 100_000
	s := start(t, cache.Options{MaxValueSize: limit, Clock: func() time.Duration { return time.Duration(now.Load()) }}, Options{})
	c := s.dial(t)
	large, odd := pattern(limit), "a/%2F\x00\xff\r\n"
	c.sendBatch(putOp("aged", "v", 10))
	now.Store(int64(1500 * time.Millisecond))
	for i, step := range []struct {
		do   batch.Operation
		want batch.Result
	}{
		{getOp("aged"), batch.Result{Outcome: batch.Found, Value: []byte("v"), Age: 1, TTL: 9}},
		{getOp(odd), batch.Result{Outcome: batch.Missing}},
		{putOp(odd, "first", 0), batch.Result{Outcome: batch.Stored}},
		{putOp(odd, odd, 0), batch.Result{Outcome: batch.Stored}},
		{getOp(odd), batch.Result{Outcome: batch.Found, Value: []byte(odd)}},
		{putOp("large", large, 0), batch.Result{Outcome: batch.Stored}},
		{putOp("large", large+"x", 0), batch.Result{Outcome: batch.TooLarge}},
		{getOp("large"), batch.Result{Outcome: batch.Found, Value: []byte(large)}},
		{putOp("empty", "", 315360000), batch.Result{Outcome: batch.Stored}},
		{getOp("empty"), batch.Result{Outcome: batch.Found, TTL: 315360000}},
		{deleteOp(odd), batch.Result{Outcome: batch.Removed}},
		{deleteOp(odd), batch.Result{Outcome: batch.Missing}},
		{getOp(strings.Repeat("k", cache.MaxKeySize)), batch.Result{Outcome: batch.Missing}},
	} {
		// Alone; TestBatchAnswersInOrder has them together.
		r := c.sendBatch(step.do)[0]
		if r.Outcome != step.want.Outcome || r.Age != step.want.Age || r.TTL != step.want.TTL || !bytes.Equal(r.Value, step.want.Value) {
			t.Errorf("step %d: %v, age %d, ttl %d, %d bytes; want %v, %d, %d, %d bytes", i, r.Outcome, r.Age, r.TTL, len(r.Value),
				step.want.Outcome, step.want.Age, step.want.TTL, len(step.want.Value))
		}
	}
	c.postBatch("").want(t, "an empty batch", 200)
	if metrics := string(c.do("GET", "/metrics", "", "").body); !strings.Contains(metrics, `tiny_cache_batch_operations_total{result="too_large"} 1`) {
		t.Error("the results are not counted")
	}
}

func TestBatchAnswersInOrder(t *testing.T) {
	s := start(t, cache.Options{IndexBytes: 8 << 20}, Options{})
	c := s.dial(t)
	var puts, gets []batch.Operation
	for i := range batch.MaxOperations {
		puts = append(puts, putOp(fmt.Sprint(i), pattern(i%900), 0))
		gets = append(gets, getOp(fmt.Sprint(i)), deleteOp(fmt.Sprint(i)))
	}
	for i, r := range c.sendBatch(puts...) {
		if r.Outcome != batch.Stored {
			t.Fatalf("put %d: %v", i, r.Outcome)
		}
	}
	for half := range 2 {
		for i, r := range c.sendBatch(gets[half*batch.MaxOperations : (half+1)*batch.MaxOperations]...) {
			n := (half*batch.MaxOperations + i) / 2
			if i%2 == 0 && (r.Outcome != batch.Found || string(r.Value) != pattern(n%900)) {
				t.Fatalf("get %d: %v, %d bytes", n, r.Outcome, len(r.Value))
			}
			if i%2 == 1 && r.Outcome != batch.Removed {
				t.Fatalf("delete %d: %v", n, r.Outcome)
			}
		}
	}
}

// What does not fit the answer is to be asked for singly; what comes behind it
// is answered none the less.
func TestBatchAnswerIsBounded(t *testing.T) {
	s := start(t, cache.Options{}, Options{})
	c := s.dial(t)
	const size = 60_000
	var gets []batch.Operation
	for i := range 30 {
		key := fmt.Sprint(i)
		c.sendBatch(putOp(key, pattern(size), 0))
		gets = append(gets, getOp(key))
	}
	found := 0
	for i, r := range c.sendBatch(append(gets, deleteOp("0"), putOp("behind", "v", 0))...) {
		switch {
		case i == 30 && r.Outcome != batch.Removed, i == 31 && r.Outcome != batch.Stored:
			t.Errorf("operation %d: %v", i, r.Outcome)
		case i < 30 && r.Outcome == batch.Found && string(r.Value) == pattern(size):
			found++
		case i < 30 && r.Outcome != batch.AskSingly:
			t.Errorf("get %d: %v with %d bytes", i, r.Outcome, len(r.Value))
		}
	}
	if want := (batch.MaxBytes - smallValue) / (size + batch.ResultHeader); found < want {
		t.Errorf("%d values in one answer, want at least %d", found, want)
	}
	c.do("PUT", "/v1/cache/whole", "", pattern(batch.MaxBytes)).want(t, "PUT", 204)
	if r := c.sendBatch(getOp("whole"))[0]; r.Outcome != batch.AskSingly {
		t.Errorf("a value that fits no answer: %v", r.Outcome)
	}
}

func TestBatchRefused(t *testing.T) {
	s := start(t, cache.Options{}, Options{})
	c := s.dial(t)
	good := string(putOp("k", "v", 0).Append(nil))
	for name, bad := range map[string]batch.Operation{
		"unknown verb":         {Verb: 4, Key: []byte("x")},
		"verb 0":               {Verb: 0, Key: []byte("x")},
		"no key":               {Verb: batch.Get},
		"key too long":         {Verb: batch.Get, Key: make([]byte, cache.MaxKeySize+1)},
		"ttl over ten years":   {Verb: batch.Put, Key: []byte("x"), TTL: 315360001},
		"get with a value":     {Verb: batch.Get, Key: []byte("x"), Value: []byte("v")},
		"delete with a ttl":    {Verb: batch.Delete, Key: []byte("x"), TTL: 1},
		"ttl of all ones, put": {Verb: batch.Put, Key: []byte("x"), TTL: 1<<32 - 1},
	} {
		a := c.postBatch(good + string(bad.Append(nil)))
		a.want(t, name, 400)
		if !strings.Contains(string(a.body), "operation 2 of the batch, at byte 13:") {
			t.Errorf("%s: the error does not say where: %s", name, a.body)
		}
	}
	c.postBatch(good+good[:5]).want(t, "cut short", 400)
	c.postBatch(strings.Repeat(good, batch.MaxOperations+1)).want(t, "too many", 413)
	c.do("POST", batchPath+"?x", "Content-Type: "+batch.MediaType+"\r\nContent-Length: 0\r\n", "").want(t, "query", 400)
	c.do("POST", batchPath, "Content-Length: 2\r\n", "{}").want(t, "no type", 415)
	c.do("POST", batchPath, "Content-Type: application/json\r\nContent-Length: 2\r\n", "{}").want(t, "JSON", 415)
	c.do("GET", batchPath, "", "").want(t, "GET", 405)
	s.dial(t).postBatch(strings.Repeat("x", batch.MaxBytes+1)).want(t, "too long", 413)
	if _, ok := s.cache.Peek([]byte("k")); ok {
		t.Error("a refused batch did something")
	}
}

// With little memory for payloads a batch says which reads it could not answer,
// and gives back what it borrowed.
func TestBatchWithoutMemory(t *testing.T) {
	s := start(t, cache.Options{}, Options{PayloadBytes: 4 << 20, PayloadWait: 10 * time.Millisecond})
	c := s.dial(t)
	c.do("PUT", "/v1/cache/large", "", pattern(200_000)).want(t, "PUT", 204)
	take := func(sizes ...int) (giveBack func()) {
		var held []*payload
		for _, size := range sizes {
			p, refused := s.payloads.borrow(size, patient)
			if refused != nil {
				t.Fatal(refused.message)
			}
			held = append(held, p)
		}
		return func() {
			for _, p := range held {
				_ = p.Close()
			}
		}
	}
	free := take(1<<20, 1<<20, 1<<20, 1<<19, 1<<18, 1<<17) // 128 KiB are left
	results := c.sendBatch(getOp("large"), getOp("x"), getOp("large"))
	for i, want := range []batch.Outcome{batch.AskSingly, batch.Missing, batch.AskSingly} {
		if results[i].Outcome != want {
			t.Errorf("get %d: %v, want %v", i, results[i].Outcome, want)
		}
	}
	free()
	eventually(t, "the budget is given back", 10*time.Second, func() bool {
		ok := s.payloads.budget.TryAcquire(4 << 20)
		if ok {
			s.payloads.budget.Release(4 << 20)
		}
		return ok
	})
	free = take(1<<20, 1<<20, 1<<20, 1<<20)
	c.postBatch(string(getOp("x").Append(nil))).want(t, "no memory at all", 503)
	free()
}

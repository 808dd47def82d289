package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// sessionOf is a session with members that answer; with forgetful ones every key is a miss.
func sessionOf(t *testing.T, forgetful bool) *session {
	t.Helper()
	return &session{Client: newMembers(t, forgetful), cluster: &cluster{target: target{domain: "cluster.local"}}, name: "orders-cache", namespace: "shop"}
}

func TestGetPrintsTheBytes(t *testing.T) {
	v := sessionOf(t, false)
	value := []byte("a\x00b\xff")
	if stored, err := v.Set(t.Context(), []byte("k"), value, 0); err != nil || !stored {
		t.Fatal(stored, err)
	}
	for name, tc := range map[string]struct {
		terminal bool
		form     output
		want     string
	}{
		"to a pipe":     {false, human, string(value)},
		"to a terminal": {true, human, string(value) + "\n"},
		"as JSON":       {true, jsonForm, `"base64": "YQBi/w=="`},
	} {
		var out, said bytes.Buffer
		if err := get(t.Context(), v, []byte("k"), tc.form, streams{out: &out, err: &said, terminal: tc.terminal}); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != tc.want && (tc.form == human || !strings.Contains(got, tc.want)) {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func TestGetOfNothingIsNo(t *testing.T) {
	v := sessionOf(t, true)
	var out, said bytes.Buffer
	if err := get(t.Context(), v, []byte("k"), human, streams{out: &out, err: &said}); !errors.Is(err, errNo) {
		t.Errorf("got %v, want errNo", err)
	}
	if out.Len() > 0 || !strings.HasPrefix(said.String(), "not cached by orders-cache-") {
		t.Errorf("got %q and %q", &out, &said)
	}
}

func TestSetTellsTheOwner(t *testing.T) {
	v := sessionOf(t, false)
	var out bytes.Buffer
	if err := set(t.Context(), v, []byte("k"), []byte("v"), time.Minute, streams{out: &out}); err != nil {
		t.Fatal(err)
	}
	owner, _ := v.Owner([]byte("k"))
	if out.String() != "stored by "+owner+"\n" {
		t.Errorf("got %q", &out)
	}
}

func TestAddress(t *testing.T) {
	if got := sessionOf(t, false).address("orders-cache-2"); got != "orders-cache-2.orders-cache.shop.svc.cluster.local:8080" {
		t.Errorf("got %s", got)
	}
}

func TestWorkload(t *testing.T) {
	load := workload{workers: 4, keys: 50, size: 10, duration: 300 * time.Millisecond, reads: 0.8}
	told := 0
	b, err := load.run(t.Context(), sessionOf(t, false), func(time.Duration, int64) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	if b.Requests == 0 || b.Requests != b.Reads+b.Writes || b.Hits != b.Reads || b.Dropped != 0 || b.latencies.TotalCount() != b.Requests {
		t.Errorf("got %+v", b)
	}
}

func TestDescribeBenchmark(t *testing.T) {
	seen := &tally{latencies: hdrhistogram.New(1, time.Minute.Microseconds(), 3), hits: 850, unstored: 3}
	for i := range 1000 {
		read := i%10 != 0
		seen.count(read, true, time.Duration(100+i*i/100)*time.Microsecond)
	}
	seen.hits = 850
	var out bytes.Buffer
	if err := newBenchmark([]*tally{seen}, 2*time.Second).describe(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, "bench", out.String())
}

package ring_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	jump "github.com/dgryski/go-jump"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

const sampleKeys = 20_000

func members(ordinals ...int) []string {
	var names []string
	for _, i := range ordinals {
		names = append(names, fmt.Sprintf("a-%d", i))
	}
	return names
}

func upTo(n int) []int {
	var ordinals []int
	for i := range n {
		ordinals = append(ordinals, i)
	}
	return ordinals
}

func router(tb testing.TB, names []string) *ring.Router {
	tb.Helper()
	r, err := ring.NewRouter(names)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func owner(tb testing.TB, r *ring.Router, key string) string {
	tb.Helper()
	name, ok := r.LocateString(key)
	if !ok {
		tb.Fatalf("no owner of %q", key)
	}
	return name
}

func TestWithoutGapsRoutingIsJumpHash(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 100, 1000} {
		names := members(upTo(n)...)
		r := router(t, names)
		for i := range 1000 {
			key := fmt.Sprintf("key-%d", i)
			want := names[jump.Hash(xxhash.Sum64String(key), n)]
			if got := owner(t, r, key); got != want {
				t.Fatalf("n=%d key=%s: %s, want %s", n, key, got, want)
			}
		}
	}
}

// Only keys of the member that leaves may move, and about their share does.
func TestOnlyKeysOfTheLeavingMemberMove(t *testing.T) {
	for _, n := range []int{2, 3, 10, 37} {
		full := router(t, members(upTo(n)...))
		for _, leaver := range []int{0, n / 2, n - 1} {
			t.Run(fmt.Sprintf("%d of %d", leaver, n), func(t *testing.T) {
				names := members(upTo(n)...)
				gone := names[leaver]
				rest := router(t, slices.Delete(names, leaver, leaver+1))
				for i := range sampleKeys {
					key := fmt.Sprintf("key-%d", i)
					before, after := owner(t, full, key), owner(t, rest, key)
					if before != gone && before != after {
						t.Fatalf("%s moved from %s to %s although both stayed", key, before, after)
					}
				}
			})
		}
	}
}

func TestC11EmptyRingHasNoOwner(t *testing.T) {
	if name, ok := router(t, nil).Locate([]byte("foo")); ok {
		t.Errorf("empty ring owns foo: %s", name)
	}
}

func TestLoneMemberFarOutOwnsEverything(t *testing.T) {
	r := router(t, members(999))
	for i := range 1000 {
		if got := owner(t, r, fmt.Sprint(i)); got != "a-999" {
			t.Fatalf("key %d: %s", i, got)
		}
	}
}

func TestLocateDoesNotAllocate(t *testing.T) {
	r, key := router(t, members(0, 2, 5, 9)), []byte("user-1234")
	if n := testing.AllocsPerRun(1000, func() { r.Locate(key) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkLocate(b *testing.B) {
	for _, n := range []int{3, 10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r, key := router(b, members(upTo(n)...)), []byte("user-1234")
			b.ReportAllocs()
			for b.Loop() {
				r.Locate(key)
			}
		})
	}
}

package ring_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	jump "github.com/dgryski/go-jump"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

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

// specified is the specification, word by word.
func specified(key []byte, ordinals []int) (int, bool) {
	if len(ordinals) == 0 {
		return 0, false
	}
	h := xxhash.Sum64(key)
	for range ring.MaxProbes {
		slot := int(jump.Hash(h, slices.Max(ordinals)+1))
		if slices.Contains(ordinals, slot) {
			return slot, true
		}
		h = ring.Mix(h)
	}
	return ordinals[jump.Hash(h, len(ordinals))], true
}

func FuzzLocate(f *testing.F) {
	f.Add([]byte("user-1234"), []byte{0, 1, 2})
	f.Add([]byte(""), []byte{200, 3})
	f.Add([]byte("\xff"), []byte{})
	f.Fuzz(func(t *testing.T, key, steps []byte) {
		// Each byte is the step to the next ordinal, the larger ones far.
		var ordinals []int
		next := -1
		for _, step := range steps {
			next += 1 + int(step)*int(step)/64
			if next > ring.MaxOrdinal {
				break
			}
			ordinals = append(ordinals, next)
		}
		got, ok := router(t, members(ordinals...)).Locate(key)
		ordinal, want := specified(key, ordinals)
		if ok != want || ok && got != fmt.Sprintf("a-%d", ordinal) {
			t.Fatalf("owner of %q among %v: %q, %v, want ordinal %d, %v", key, ordinals, got, ok, ordinal, want)
		}
	})
}

func TestRoutingIsAsSpecified(t *testing.T) {
	random := numbers(7)
	for range 3000 {
		n := 1 + random.IntN(200)
		ordinals := random.Perm(n)[:random.IntN(n+1)]
		slices.Sort(ordinals)
		r := router(t, members(ordinals...))
		for range 20 {
			key := fmt.Appendf(nil, "key-%d", random.Uint64())
			ordinal, want := specified(key, ordinals)
			if got, ok := r.Locate(key); ok != want || ok && got != fmt.Sprintf("a-%d", ordinal) {
				t.Fatalf("owner of %q among %v: %q, %v, want ordinal %d, %v", key, ordinals, got, ok, ordinal, want)
			}
		}
	}
}

// The incident behind C11: a list that was empty for a moment, and a division by its length.
func TestC11EmptyRingHasNoOwner(t *testing.T) {
	before := router(t, members(0, 1, 2))
	for _, empty := range []*ring.Router{router(t, nil), router(t, []string{}), {}} {
		for _, key := range []string{"", "foo", "user-1234"} {
			if name, ok := empty.LocateString(key); ok || name != "" {
				t.Errorf("empty ring owns %q: %q, %v", key, name, ok)
			}
			if name, ok := empty.Locate([]byte(key)); ok || name != "" {
				t.Errorf("empty ring owns %q: %q, %v", key, name, ok)
			}
		}
	}
	after := router(t, members(0, 1, 2))
	for i := range 1000 {
		if key := fmt.Sprint(i); owner(t, before, key) != owner(t, after, key) {
			t.Errorf("%s came back to another owner", key)
		}
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
	for name, ordinals := range map[string][]int{"full": upTo(10), "gaps": {0, 2, 5, 9}, "in vain": {3, 900}, "empty": nil} {
		r, key, text := router(t, members(ordinals...)), []byte("user-1234"), "user-1234"
		if n := testing.AllocsPerRun(1000, func() { r.Locate(key); r.LocateString(text) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}

func BenchmarkLocate(b *testing.B) {
	var keys [1 << 12][]byte
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "user-%d", 1000+i)
	}
	for _, n := range []int{3, 10, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r, i := router(b, members(upTo(n)...)), 0
			b.ReportAllocs()
			for b.Loop() {
				r.Locate(keys[i%len(keys)])
				i++
			}
		})
	}
}

package lru

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A list that is searched from end to end does the same.
func TestAgainstList(t *testing.T) {
	const capacity, keys = 10, 30
	c := New[int](capacity*7+6, 7)
	var list []int
	random := rand.New(rand.NewPCG(1, 1))
	for range 10_000 {
		key := random.IntN(keys)
		at := slices.Index(list, key)
		if hit := c.Get(key); hit != (at >= 0) {
			t.Fatalf("key %d: hit %v, the list has it at %d", key, hit, at)
		}
		if at >= 0 {
			list = slices.Delete(list, at, at+1)
		} else {
			c.Set(key)
		}
		list = append(list, key)
		if len(list) > capacity {
			list = list[1:]
		}
		if c.Len() != len(list) {
			t.Fatalf("%d entries, want %d", c.Len(), len(list))
		}
	}
}

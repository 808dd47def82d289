package ring_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"
	jump "github.com/dgryski/go-jump"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// locator gives the owner of a key, "" if there is none.
type locator func(key []byte) string

// scheme is a way to route that can be compared with ours.
type scheme struct {
	name string
	over func(tb testing.TB, members []string) locator
}

var ours = scheme{"jump-xxh64-v1", func(tb testing.TB, members []string) locator {
	tb.Helper()
	r := router(tb, members)
	return func(key []byte) string {
		name, _ := r.Locate(key)
		return name
	}
}}

var schemes = []scheme{ours, compact, rendezvous, points}

// compact is jump hash over the list of members as it is.
var compact = scheme{"plain jump", func(_ testing.TB, members []string) locator {
	return func(key []byte) string {
		if len(members) == 0 {
			return ""
		}
		return members[jump.Hash(xxhash.Sum64(key), len(members))]
	}
}}

// rendezvous gives a key to the member with the highest weight for it (Thaler and Ravishankar).
var rendezvous = scheme{"rendezvous", func(_ testing.TB, members []string) locator {
	seeds := make([]uint64, len(members))
	for i, name := range members {
		seeds[i] = xxhash.Sum64String(name)
	}
	return func(key []byte) string {
		h, best, owner := xxhash.Sum64(key), uint64(0), ""
		for i, seed := range seeds {
			if weight := ring.Mix(h ^ seed); owner == "" || weight > best {
				best, owner = weight, members[i]
			}
		}
		return owner
	}
}}

// points is a circle with 160 points of each member, as ketama has.
var points = scheme{"160-point ring", func(_ testing.TB, members []string) locator {
	type point struct {
		at     uint64
		member string
	}
	var circle []point
	for _, name := range members {
		for i := range 160 {
			circle = append(circle, point{xxhash.Sum64String(fmt.Sprintf("%s-%d", name, i)), name})
		}
	}
	slices.SortFunc(circle, func(a, b point) int { return cmp.Compare(a.at, b.at) })
	return func(key []byte) string {
		if len(circle) == 0 {
			return ""
		}
		i, _ := slices.BinarySearchFunc(circle, xxhash.Sum64(key), func(p point, h uint64) int { return cmp.Compare(p.at, h) })
		return circle[i%len(circle)].member
	}
}}

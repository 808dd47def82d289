package ring_test

import (
	"math/rand/v2"
	"testing"

	jump "github.com/dgryski/go-jump"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// numbers is a stream of random numbers that is the same in every run.
func numbers(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func TestJumpIsAsPublished(t *testing.T) {
	random := numbers(1)
	check := func(h uint64, slots int) {
		t.Helper()
		if got, want := ring.Jump(h, slots), int(jump.Hash(h, slots)); got != want {
			t.Fatalf("jump(%#x, %d) = %d, want %d", h, slots, got, want)
		}
	}
	for slots := 1; slots <= ring.MaxOrdinal+1; slots++ {
		for range 30 {
			check(random.Uint64(), slots)
		}
	}
	for range 300_000 {
		check(random.Uint64(), 1+random.IntN(ring.MaxOrdinal+1))
	}
}

// published is a leap as Lamping and Veach write it.
func published(b, d uint64) uint64 {
	return uint64(float64(b+1) * (float64(int64(1)<<31) / float64(d)))
}

// At a whole quotient the published formula is sometimes one less: every such place is visited,
// and both of its neighbours.
func TestLeapIsAsPublishedWhereRoundingDecides(t *testing.T) {
	const most = ring.MaxOrdinal + 1
	whole, less := 0, 0
	for from := uint64(1); from <= most; from++ {
		// A divisor of from<<31 up to most is an odd divisor of from times a power of two.
		for odd := uint64(1); odd <= from; odd += 2 {
			if from%odd != 0 {
				continue
			}
			for to := odd; to <= most; to *= 2 {
				d := from << 31 / to
				if to <= from || d*to != from<<31 {
					continue
				}
				whole++
				if published(from-1, d) < to {
					less++
				}
				for _, d := range []uint64{d - 1, d, d + 1} {
					if got, want := ring.Leap(from-1, d), published(from-1, d); got != want {
						t.Fatalf("leap from %d with divisor %d to %d, want %d", from-1, d, got, want)
					}
				}
			}
		}
	}
	t.Logf("%d whole quotients, %d of them rounded down to one less", whole, less)
	if whole != 61_728 || less != 2_634 {
		t.Errorf("visited %d whole quotients and %d that are rounded down, want 61728 and 2634", whole, less)
	}
}

func TestLeapIsAsPublishedNearEveryWholeNumber(t *testing.T) {
	random := numbers(2)
	for range 1_000_000 {
		from := 1 + random.Uint64N(ring.MaxOrdinal+1)
		to := from + random.Uint64N(ring.MaxOrdinal+2-from)
		d := min(from<<31/to+random.Uint64N(3), 1<<31)
		if got, want := ring.Leap(from-1, d), published(from-1, d); got != want {
			t.Fatalf("leap from %d with divisor %d to %d, want %d", from-1, d, got, want)
		}
	}
}

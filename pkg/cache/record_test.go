package cache

import (
	"math/rand/v2"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// A record says 32 bits of where it stands; the writing end has the others.
func TestPositionsBeyond32Bits(t *testing.T) {
	const ring = maxCapacity / stripeCount
	for _, position := range []uint64{0, 1, 1<<32 - 1, 1 << 32, 1<<32 + 1, 7<<32 - 5, 7 << 32, 1 << 40} {
		for _, ahead := range []int64{-chunkSize, -1, 0, 1, chunkSize, ring - 1, ring} {
			if ahead < 0 && position < uint64(-ahead) {
				continue // an end before the beginning
			}
			end := uint64(int64(position) + ahead)
			want := trailer{created: 7, expiry: 9, position: position, kind: headRecord}
			payload, got, ok := splitRecord(appendTrailer([]byte("x"), want), end)
			if !ok || got != want || string(payload) != "x" {
				t.Errorf("position %d, end %d: %q, %+v, %v", position, end, payload, got, ok)
			}
		}
	}
}

func TestKeyWithHash(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range uint64(10_000) {
		for _, hash := range []uint64{i, ^i, random.Uint64()} {
			if key := keyWithHash(hash); xxhash.Sum64(key[:]) != hash {
				t.Fatalf("key %x has hash %d, want %d", key, xxhash.Sum64(key[:]), hash)
			}
		}
	}
}

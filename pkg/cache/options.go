package cache

import (
	"fmt"
	"math"
	"time"
)

const (
	// CapacityUnit is the step in which fastcache can be sized: one 64 KiB
	// chunk in each of its 512 buckets.
	CapacityUnit = stripeCount * chunkSize

	// maxCapacity makes rings of 1 GiB: a record says where it stands in 32 bits.
	maxCapacity = 512 << 30

	// MaxKeySize is the longest key in bytes. It is far above what callers use
	// and small enough that a key never matters beside a 64 KiB chunk.
	MaxKeySize = 1024

	// DefaultMaxValueSize is the value limit in bytes when none is given; it
	// is memcached's, so that data sets move over unchanged.
	DefaultMaxValueSize = 1 << 20

	// MaxTTL is the longest time to live. It is long enough for "practically
	// for ever" (which ttl 0 says better) and short enough that now+ttl cannot
	// overflow. A longer one is a mistake of unit in the caller, so it is
	// refused and not cut.
	MaxTTL = 10 * 365 * 24 * time.Hour

	// valueShare bounds one value to this fraction of the capacity. The parts
	// of one value then take a twelfth of each ring at most, or one part, so a
	// value just written is there to be read.
	valueShare = 32

	// minIndexBytes is 8 KiB for each ring: a few entries of the longest keys.
	minIndexBytes = stripeCount * 8 << 10
)

// Options configure a Cache. The zero value is usable.
type Options struct {
	// Capacity is the size of the rings in bytes, rounded down to a multiple
	// of CapacityUnit (32 MiB). Default and minimum: CapacityUnit; at most 512 GiB.
	Capacity int64

	// MaxValueSize is the longest value in bytes that Set accepts. Default
	// DefaultMaxValueSize. At most Capacity/32: a larger value would evict
	// too much of everything else, and in the worst case itself.
	MaxValueSize int

	// IndexBytes bounds what it takes to find entries, which lives on the Go
	// heap outside Capacity: fastcache's index, the keys in order of writing,
	// the deadlines. Where small entries would take more, the oldest go though
	// the rings have room. Default 0: no bound but that of the rings. At least
	// 4 MiB otherwise.
	IndexBytes int64

	// Clock returns the time since some fixed moment. It must never go back;
	// the wall clock must have no influence on it. It is called on every
	// operation. Default: the process's monotonic clock.
	Clock func() time.Duration

	// withoutWindow is for tests of a single segment.
	withoutWindow bool
}

func (o Options) withDefaults() Options {
	if o.Capacity == 0 {
		o.Capacity = CapacityUnit
	}
	o.Capacity -= o.Capacity % CapacityUnit
	if o.MaxValueSize == 0 {
		o.MaxValueSize = DefaultMaxValueSize
	}
	if o.IndexBytes == 0 {
		o.IndexBytes = math.MaxInt64
	}
	if o.Clock == nil {
		o.Clock = monotonicSince(time.Now())
	}
	return o
}

func (o Options) validate() error {
	if o.Capacity < CapacityUnit {
		return fmt.Errorf("cache capacity is below the smallest possible, %d bytes: give at least 32 MiB", int64(CapacityUnit))
	}
	if o.Capacity > maxCapacity {
		return fmt.Errorf("cache capacity of %d bytes: give at most %d, 512 GiB", o.Capacity, int64(maxCapacity))
	}
	if most := o.Capacity / valueShare; o.MaxValueSize < 0 || int64(o.MaxValueSize) > most {
		return fmt.Errorf("cache value limit of %d bytes does not suit a capacity of %d bytes: give 0 (default) to %d bytes, or more capacity",
			o.MaxValueSize, o.Capacity, most)
	}
	if o.IndexBytes < minIndexBytes {
		return fmt.Errorf("cache index bound of %d bytes: give 0 (no bound) or at least %d", o.IndexBytes, int64(minIndexBytes))
	}
	return nil
}

// monotonicSince measures from start. time.Since reads the monotonic part of
// start, which steps of the wall clock do not touch.
func monotonicSince(start time.Time) func() time.Duration {
	return func() time.Duration { return time.Since(start) }
}

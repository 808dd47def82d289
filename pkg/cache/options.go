package cache

import (
	"fmt"
	"time"
)

const (
	// CapacityUnit is the step in which fastcache can be sized: one 64 KiB
	// chunk in each of its 512 buckets.
	CapacityUnit = stripeCount * chunkSize

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
	// of one value then fill no ring even when many hash into the same one,
	// so a value just written is there to be read.
	valueShare = 32

	// maxMinRecordSize keeps padding below the smallest chunk's granularity.
	maxMinRecordSize = 4096
)

// Options configure a Cache. The zero value is usable.
type Options struct {
	// Capacity is the size of the rings in bytes, rounded down to a multiple
	// of CapacityUnit (32 MiB). Default and minimum: CapacityUnit.
	Capacity int64

	// MaxValueSize is the longest value in bytes that Set accepts. Default
	// DefaultMaxValueSize. At most Capacity/32: a larger value would evict
	// too much of everything else, and in the worst case itself.
	MaxValueSize int

	// MinRecordSize is the number of ring bytes that each new index entry
	// must have moved its ring by, averaged over one turn. It bounds the
	// index, which lives on the Go heap outside Capacity, to
	// 2*Capacity/MinRecordSize entries, by padding small records where large
	// ones have not made up for them. Default 0: no padding, no bound beyond
	// the records' own size (27 bytes and up). At most 4096.
	MinRecordSize int

	// Clock returns the time since some fixed moment. It must never go back;
	// the wall clock must have no influence on it. It is called on every
	// operation. Default: the process's monotonic clock.
	Clock func() time.Duration
}

func (o Options) withDefaults() Options {
	if o.Capacity == 0 {
		o.Capacity = CapacityUnit
	}
	o.Capacity -= o.Capacity % CapacityUnit
	if o.MaxValueSize == 0 {
		o.MaxValueSize = DefaultMaxValueSize
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
	if most := o.Capacity / valueShare; o.MaxValueSize < 0 || int64(o.MaxValueSize) > most {
		return fmt.Errorf("cache value limit of %d bytes does not suit a capacity of %d bytes: give 0 (default) to %d bytes, or more capacity",
			o.MaxValueSize, o.Capacity, most)
	}
	if o.MinRecordSize < 0 || o.MinRecordSize > maxMinRecordSize {
		return fmt.Errorf("cache record minimum of %d bytes is outside 0 to %d", o.MinRecordSize, maxMinRecordSize)
	}
	return nil
}

// monotonicSince measures from start. time.Since reads the monotonic part of
// start, which steps of the wall clock do not touch.
func monotonicSince(start time.Time) func() time.Duration {
	return func() time.Duration { return time.Since(start) }
}

package cache

import (
	"errors"
	"fmt"
)

// The arithmetic of memory: how a limit, which the kernel enforces by killing,
// is divided. All of it is here. Sizes in bytes.
//
//	limit = outside + goBase + connections + payloads + rings + ring tables + index
//
// rings: fastcache's chunks, mapped outside the Go heap, all touched once the
// cache is full, never given back. Multiples of 32 MiB.
//
// index: what it takes to find entries, on the Go heap: fastcache's maps from
// hash to offset, the keys in order of writing, the deadlines. It costs 60
// to 100 bytes for each entry, whatever the size of its value. With records of 30
// bytes it would be larger than the rings; so what is left for it is a budget,
// which the engine keeps to by evicting.
//
// The more goes to the rings, the fewer small entries there can be. So: as many
// rings as possible while values of 100 bytes still fill them. Larger values
// would profit from more rings, smaller ones from fewer.
//
// What comes of it: rings of half of the limit up to 512 MiB, where 32 MiB more
// are a large step, and 53 to 62 percent from 1 GiB on. At 128 MiB a step from 64
// to 96 MiB would leave 2 MiB for the index, and there would be fewer entries, not
// more, for all values below 3 KiB.
//
// A full process, index, buffers and Go's garbage included, has 56 to 90 percent
// of its limit in use, the less the larger the values and the limit:
// TestJ12FullPodIsNotKilled in cmd/tiny-cache measures it in containers.
const (
	mib = 1 << 20

	// outsideGo: the binary's pages, thread stacks. Charged to the container,
	// unknown to GOMEMLIMIT.
	outsideGo = 6 * mib
	// outsideShare: so are page tables (1/512 of the rest) and the kernel's
	// part of the connections, which grow with the limit.
	outsideShare = 128
	// goBase: the Go runtime, this program's own structures, two unfinished
	// blocks of each ring's log, and room for the collector to breathe.
	goBase = 6 * mib
	// ringTableShare: the marks take 1/128 of the rings, and the chunk tables
	// 1/2700.
	ringTableShare = 120

	// ConnectionCost: per connection, the read buffer (8 KiB), write buffer
	// (4 KiB), goroutine stack (8 KiB), request state (2 KiB), and a small
	// value in flight (8 KiB). One that rests costs less.
	ConnectionCost = 30 << 10

	// dueCost: a second in the ledger's map, of 12 bytes per slot, at least
	// 7/16 of them in use.
	dueCost = 32
	// The index budget is divided by 8/7: the heap grows by GarbagePercent
	// between collections, and by a little more while one is under way.
	collectorSlackNum, collectorSlackDen = 8, 7

	// Values of 100 bytes with keys of 16 make records of 131 bytes. Their index
	// costs 23 in the log and 38 to 76 in the map: 45 to 74 percent; in rings of
	// 64 MiB the former. Rings may grow while the index has this many.
	preferredIndexPercent = 45

	// Serving is connections and payloads, half each: a share of the limit,
	// not so little that a small pod is useless, and not more than one
	// process can make use of.
	minServing   = 8 * mib
	maxServing   = 256 * mib
	servingShare = 8

	// SmallestLimit is the least memory limit that PlanMemory accepts.
	SmallestLimit = 64 * mib
)

// GarbagePercent is meant for debug.SetGCPercent: with maps and blocks without
// pointers a collection costs little, and what it leaves lying is a part of the
// index.
const GarbagePercent = 5

// ErrMemory says that a memory limit does not suffice.
var ErrMemory = errors.New("memory limit too small")

// MemoryPlan is a limit divided. All sizes in bytes.
type MemoryPlan struct {
	// Limit is what the whole process may use.
	Limit int64
	// Capacity and IndexBytes are meant for Options.
	Capacity   int64
	IndexBytes int64
	// GoMemoryLimit is meant for debug.SetMemoryLimit.
	GoMemoryLimit int64
	// MaxConnections is how many client connections fit.
	MaxConnections int
	// Payloads is the space for large values on their way in and out.
	Payloads int64
}

// PlanMemory divides a limit of the whole process so that it is not exceeded
// whatever the size of the values up to maxValueSize. The error wraps
// ErrMemory and says what would do.
func PlanMemory(limit int64, maxValueSize int) (MemoryPlan, error) {
	if limit < SmallestLimit {
		return MemoryPlan{}, fmt.Errorf("%w: %d MiB, give at least %d MiB", ErrMemory, limit/mib, SmallestLimit/mib)
	}
	serving := min(max(limit/servingShare, minServing), maxServing)
	p := MemoryPlan{
		Limit:          limit,
		Payloads:       serving / 2,
		MaxConnections: int(serving / 2 / ConnectionCost),
	}
	// Two of the largest values, each in a buffer of up to twice its length,
	// must be able to move at the same time: one in and one out.
	if need := 4 * int64(maxValueSize); p.Payloads < need {
		return MemoryPlan{}, fmt.Errorf("%w: with values of up to %d bytes give at least %d MiB, or lower the value limit",
			ErrMemory, maxValueSize, need*2*servingShare/mib)
	}
	outside := outsideGo + limit/outsideShare
	free := limit - outside - goBase - serving
	p.Capacity, p.IndexBytes = CapacityUnit, indexBytes(free, CapacityUnit)
	for c := p.Capacity + CapacityUnit; c <= maxCapacity && indexBytes(free, c) >= c/100*preferredIndexPercent; c += CapacityUnit {
		p.Capacity, p.IndexBytes = c, indexBytes(free, c)
	}
	p.GoMemoryLimit = limit - p.Capacity - outside
	return p, nil
}

// indexBytes is what rings of a capacity leave of free for their index.
func indexBytes(free, capacity int64) int64 {
	return (free - capacity - capacity/ringTableShare) * collectorSlackDen / collectorSlackNum
}

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
// index: fastcache's maps from hash to offset, on the Go heap. Go's map takes 17
// bytes per slot and is between 7/16 and 7/8 full: 19 to 39 bytes per entry,
// plus 8 to 16 in the ledger for entries with a deadline, about half of which
// are still alive. Rounded up to indexEntryCost. Entries die in the rings
// before they are swept from the index, so for each living entry there can be a
// dead one. With records of 30 bytes the index would be larger than the rings;
// so what is left for it is a budget, and MinRecordSize follows from it.
//
// The more goes to the rings, the less is left for the index, and the further
// small records must be padded. So: as many rings as possible while no record
// of preferredMinRecord bytes (a value of about 200) needs padding. Larger
// values would profit from more rings, smaller ones from fewer.
const (
	mib = 1 << 20

	// outsideGo: the binary's pages, the kernel's page tables and socket
	// buffers, thread stacks. Charged to the container, unknown to GOMEMLIMIT.
	outsideGo = 6 * mib
	// goBase: the Go runtime, this program's own structures, the fixed part of
	// the ring tables, and room for the collector to breathe.
	goBase = 6 * mib
	// ringTableShare: above 32 MiB the ledger and chunk tables grow by less
	// than capacity/ringTableShare.
	ringTableShare = 256

	// ConnectionCost: per connection, the read buffer (8 KiB), write buffer
	// (4 KiB), goroutine stack (8 KiB), request state (2 KiB), and a small
	// value in flight (8 KiB).
	ConnectionCost = 30 << 10

	// indexEntryCost: see above.
	indexEntryCost = 48
	// collectorSlack: the index budget is divided by 5/4, because sweeping
	// replaces a bucket's map by a new one and leaves the old as garbage.
	collectorSlackNum, collectorSlackDen = 5, 4

	preferredMinRecord = 256

	// Serving is connections and payloads, half each: a share of the limit,
	// not so little that a small pod is useless, and not more than one
	// process can make use of.
	minServing   = 8 * mib
	maxServing   = 256 * mib
	servingShare = 8

	// SmallestLimit is the least memory limit that PlanMemory accepts.
	SmallestLimit = 64 * mib
)

// ErrMemory says that a memory limit does not suffice.
var ErrMemory = errors.New("memory limit too small")

// MemoryPlan is a limit divided. All sizes in bytes.
type MemoryPlan struct {
	// Limit is what the whole process may use.
	Limit int64
	// Capacity and MinRecordSize are meant for Options.
	Capacity      int64
	MinRecordSize int
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
	free := limit - outsideGo - goBase - serving
	p.Capacity = CapacityUnit
	for c := p.Capacity + CapacityUnit; minRecordFor(c, free) <= preferredMinRecord; c += CapacityUnit {
		p.Capacity = c
	}
	p.MinRecordSize = int(minRecordFor(p.Capacity, free))
	p.GoMemoryLimit = limit - p.Capacity - outsideGo
	return p, nil
}

// minRecordFor is the padding rule that keeps the index within what capacity
// leaves of free; more than any ring could pad if it leaves nothing.
func minRecordFor(capacity, free int64) int64 {
	index := (free - capacity - capacity/ringTableShare) * collectorSlackDen / collectorSlackNum
	entries := index / indexEntryCost
	if entries <= 0 {
		return chunkSize
	}
	// Twice: the living and the dead that are not swept yet.
	return 2*capacity/entries + 1
}

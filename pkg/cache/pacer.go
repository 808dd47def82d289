package cache

// pacer decides where the next record of one ring goes: it repeats fastcache's
// arithmetic, and it holds small records to MinRecordSize on average.
//
// Why the average bounds the index: fastcache sweeps index entries of records
// it has overwritten only once per turn, so at any time its index holds at most
// the keys written in this turn and in the one before. With c new index entries
// in a turn, the ring has moved by at least c*minRecord bytes, and a turn ends
// after ringBytes. So no turn brings more than ringBytes/minRecord entries.
type pacer struct {
	minRecord uint64
	// turn is the turn that charged counts for.
	turn uint64
	// charged is the number of records of this turn that may each have brought
	// an index entry. A second record of a key in one turn brings none.
	charged uint64
}

// place returns the start of a record of size bytes in a ring written up to
// end, and the padding that it needs.
func (p *pacer) place(end, size, ringBytes uint64, charge bool) (start, pad uint64) {
	start = fit(end, size)
	if turn := start / ringBytes; turn != p.turn {
		p.turn, p.charged, charge = turn, 0, true
	}
	if !charge {
		return start, 0
	}
	p.charged++
	if reached, due := start%ringBytes+size, p.charged*p.minRecord; reached < due {
		pad = due - reached
		start = fit(end, size+pad)
		if turn := start / ringBytes; turn != p.turn {
			// The padding tipped it into the next turn, where it is the first.
			p.turn, p.charged = turn, 1
			pad = max(size, p.minRecord) - size
		}
	}
	return start, pad
}

// fit is where fastcache puts a record of size bytes: at the end, or at the
// next chunk when it would not end within this one. Rings are whole chunks, so
// the wrap to the beginning is the same step.
func fit(end, size uint64) uint64 {
	if end%chunkSize+size >= chunkSize {
		return (end/chunkSize + 1) * chunkSize
	}
	return end
}

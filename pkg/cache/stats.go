package cache

import "github.com/VictoriaMetrics/fastcache"

// Stats is a reading of the counters. Each is right by itself; they are read
// one after the other, so sums over them hold exactly only in a quiet cache:
//
//	Entries = Sets - Overwrites - Deletes - Expirations - Evictions
type Stats struct {
	// Hits and Misses count the calls of Get by their answer. An expired entry
	// is a miss.
	Hits   uint64 `json:"hits"`
	Misses uint64 `json:"misses"`
	// Sets counts values stored, Overwrites those of them that replaced a
	// living value, Deletes living values removed by Delete.
	Sets       uint64 `json:"sets"`
	Overwrites uint64 `json:"overwrites"`
	Deletes    uint64 `json:"deletes"`
	// Expirations counts entries whose time to live ended while they were
	// stored, Evictions those that had to go for space.
	Expirations uint64 `json:"expirations"`
	Evictions   uint64 `json:"evictions"`
	// Promotions counts rewrites of entries that were read while in the older
	// half of their ring: the price of LRU.
	Promotions uint64 `json:"promotions"`
	// Entries is the number of living entries. It is exact with three stated
	// limits, all of which count too many and none too few: an expired entry
	// counts for up to one second more; an evicted one counts until the
	// segment it stood in (1/64 of a ring or less) is wholly overwritten; one
	// of more than 8 KiB that lost only a part counts until it is read or its
	// head is overwritten.
	Entries uint64 `json:"entries"`
	// Bytes is the ring space of living entries: keys, values, 26 bytes of
	// bookkeeping per record, padding. Same limits as Entries.
	Bytes uint64 `json:"bytes"`
	// IndexEntries is the size of fastcache's index, with entries that are
	// dead and not swept yet; it is what the index's heap memory follows.
	IndexEntries uint64 `json:"indexEntries"`
	// Capacity is the size of the rings in bytes.
	Capacity uint64 `json:"capacity"`
}

// Stats reads the counters. It looks through the deadlines of all entries that
// have one, once per second of the clock: about a millisecond per million.
func (c *Cache) Stats() Stats {
	st := Stats{Capacity: uint64(c.capacity)}
	now := nowSecond(int64(c.clock()))
	for i := range c.stripes {
		c.stripes[i].addTo(&st, now)
	}
	var f fastcache.Stats
	c.ring.UpdateStats(&f)
	st.IndexEntries = f.EntriesCount
	return st
}

func (s *stripe) addTo(st *Stats, now uint32) {
	st.Hits += s.hits.Load()
	st.Misses += s.misses.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(s.ledger.purge(now))
	st.Sets += s.tally.sets
	st.Overwrites += s.tally.overwrites
	st.Deletes += s.tally.deletes
	st.Expirations += s.tally.expirations
	st.Evictions += s.tally.evictions
	st.Promotions += s.tally.promotions
	st.Entries += s.ledger.entries
	st.Bytes += s.ledger.bytes
}

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
	// Promotions counts entries that were moved instead of evicted, from the window
	// to main or to the writing end of their ring: the price of second chances.
	Promotions uint64 `json:"promotions"`
	// Entries is the number of living entries. It is exact with two stated
	// limits, which count too many and none too few: an expired entry counts
	// for up to one second more; one of more than 8 KiB that lost only a part
	// counts until it is read or its head is evicted.
	Entries uint64 `json:"entries"`
	// Bytes is the ring space of living entries: keys, values, 15 to 23 bytes
	// of bookkeeping per record. Same limits as Entries, and parts of a value
	// whose head was evicted count until they are evicted, too.
	Bytes uint64 `json:"bytes"`
	// IndexEntries is the size of fastcache's index: living entries, parts of
	// large values, and up to one dead entry per ring.
	IndexEntries uint64 `json:"indexEntries"`
	// Capacity is the size of the rings in bytes.
	Capacity uint64 `json:"capacity"`
}

// Stats reads the counters. It subtracts what has expired, once per second of the
// clock.
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
	s.tally.expirations += s.ledger.purge(now)
	st.Sets += s.tally.sets
	st.Overwrites += s.tally.overwrites
	st.Deletes += s.tally.deletes
	st.Expirations += s.tally.expirations
	st.Evictions += s.tally.evictions
	st.Promotions += s.tally.promotions
	st.Entries += s.ledger.entries
	st.Bytes += s.ledger.bytes
}

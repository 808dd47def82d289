// Package lru is the yardstick of hit ratios: it evicts exactly what was used least recently, and
// counts a stated number of bytes for each entry. It holds no values, only which keys are there.
package lru

// Overhead is what an entry costs beyond key and value, in bytes: three links, lengths, flags and
// a deadline, and its slot in a hash table. It is memcached's, without size classes.
const Overhead = 56

// Cache is a set of keys. The zero value is of no use.
type Cache[K comparable] struct {
	capacity int
	slots    map[K]int32
	// entries is a ring of links; 0 is its head and no entry. Next leads from newest to oldest.
	entries []entry[K]
}

type entry[K comparable] struct {
	key        K
	prev, next int32
}

// New returns a cache for as many entries of size bytes, Overhead included, as memory holds.
func New[K comparable](memory, size int64) *Cache[K] {
	return &Cache[K]{capacity: int(max(1, memory/size)), slots: map[K]int32{}, entries: make([]entry[K], 1)}
}

// Get reports whether a key is there, and counts that as use.
func (c *Cache[K]) Get(key K) bool {
	slot, ok := c.slots[key]
	if ok {
		c.unlink(slot)
		c.linkFirst(slot)
	}
	return ok
}

// Set puts a key in, in place of the oldest if there is no room.
func (c *Cache[K]) Set(key K) {
	if c.Get(key) {
		return
	}
	slot := int32(len(c.entries))
	if len(c.slots) < c.capacity {
		c.entries = append(c.entries, entry[K]{})
	} else {
		slot = c.entries[0].prev
		c.unlink(slot)
		delete(c.slots, c.entries[slot].key)
	}
	c.entries[slot].key = key
	c.slots[key] = slot
	c.linkFirst(slot)
}

// Len returns the number of entries.
func (c *Cache[K]) Len() int { return len(c.slots) }

func (c *Cache[K]) unlink(slot int32) {
	e := c.entries[slot]
	c.entries[e.prev].next = e.next
	c.entries[e.next].prev = e.prev
}

func (c *Cache[K]) linkFirst(slot int32) {
	first := c.entries[0].next
	c.entries[slot].prev, c.entries[slot].next = 0, first
	c.entries[first].prev = slot
	c.entries[0].next = slot
}

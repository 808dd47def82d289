package cache

import (
	"encoding/binary"
	"slices"
)

const (
	// partSize is the longest value kept in one record and the length of a
	// part. Eight parts fill a 64 KiB chunk with next to no rest: the record
	// around a part is recordOverhead + partKeySize + trailerSize larger, and
	// fastcache leaves the last byte of a chunk unused.
	partSize = chunkSize/8 - recordOverhead - partKeySize - trailerSize - 1

	headSize = 13
)

// A large value is cut into parts under keys that are never used again, and a
// head under the value's own key names them. Parts never change, so whoever
// has read a head and finds all its parts has one whole value. What is missing
// is a miss: parts can be evicted, they cannot be exchanged.
//
// The parts of a segment are numbered, over all values, and go to its rings one after
// the other. By hash, some rings would be given twice as many as others, and a value
// is lost with the first of its parts.
type largeHead struct {
	segment segment
	// first is the number of the first part.
	first uint64
	size  int
}

func (h largeHead) encode() []byte {
	b := make([]byte, headSize)
	binary.BigEndian.PutUint64(b, h.first)
	binary.BigEndian.PutUint32(b[8:], uint32(h.size))
	b[12] = byte(h.segment)
	return b
}

func (h largeHead) parts() int { return (h.size + partSize - 1) / partSize }

// part is the place of a part: the stripe and the key.
func (c *Cache) part(h largeHead, i int) (*stripe, [partKeySize]byte) {
	number := h.first + uint64(i)
	rings := h.segment.stripes()
	ring := rings.first + number%rings.count
	return &c.stripes[ring], keyWithHash(number*stripeCount + ring)
}

// head returns the head that r is, if it is one.
func (r stored) head() (largeHead, bool) {
	if r.kind != headRecord || len(r.payload) != headSize {
		return largeHead{}, false
	}
	return largeHead{
		segment: segment(r.payload[12]),
		first:   binary.BigEndian.Uint64(r.payload),
		size:    int(binary.BigEndian.Uint32(r.payload[8:])),
	}, true
}

// valueSize is the length of the value that r stands for; false if r is no
// entry but a part of one.
func (r stored) valueSize() (int, bool) {
	if r.kind == wholeRecord {
		return len(r.payload), true
	}
	h, ok := r.head()
	return h.size, ok
}

// newHead numbers the parts of a value. They are all in one segment, so that they last
// about equally long; values go to the segments by turns, in the proportion of their
// sizes.
func (c *Cache) newHead(size int) largeHead {
	h := largeHead{segment: segmentOf(c.largeValues.Add(1) * windowStripes % stripeCount), size: size}
	parts := uint64(h.parts())
	h.first = c.parts[h.segment].Add(parts) - parts
	return h
}

// writeParts stores value in parts that expire with t.
func (c *Cache) writeParts(value []byte, t trailer, now int64) largeHead {
	h := c.newHead(len(value))
	t.kind = partRecord
	w := c.workspace()
	defer c.workspaces.Put(w)
	for i := range h.parts() {
		part := value[i*partSize : min((i+1)*partSize, len(value))]
		s, key := c.part(h, i)
		s.mu.Lock()
		// The key is new, so there is nothing to find and replace.
		c.put(w, s, key[:], part, t, stored{}, false, now)
		s.mu.Unlock()
	}
	return h
}

// appendParts appends the value to dst and marks its parts as read; false if one
// is missing.
func (c *Cache) appendParts(dst []byte, h largeHead) (out []byte, ok bool) {
	end := len(dst) + h.size
	dst = slices.Grow(dst, h.size+ReadSlack)
	for i := range h.parts() {
		s, key := c.part(h, i)
		base := len(dst)
		out, found := s.get(dst, key[:])
		payload, t, whole := splitRecord(out[base:], s.end.Load())
		if !found || !whole || t.kind != partRecord || len(payload) != min(partSize, end-base) {
			return dst, false
		}
		dst = out[:base+len(payload)]
		s.used(t, uint64(len(payload)))
	}
	return dst, true
}

// dropParts deletes the parts of a value that is no longer reachable. Its ring
// bytes would be overwritten in time without this; the index entries and the
// count of bytes would be wrong until then.
func (c *Cache) dropParts(h largeHead, now int64) {
	w := c.workspace()
	defer c.workspaces.Put(w)
	for i := range h.parts() {
		s, key := c.part(h, i)
		s.mu.Lock()
		r, ok := s.find(w, key[:])
		if ok && r.kind == partRecord {
			s.drop(key[:], r, now, new(uint64))
		}
		s.mu.Unlock()
	}
}

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
	partSize = chunkSize/8 - recordOverhead - partKeySize - trailerSize - 9

	partKeySize = 12
	headSize    = 12
)

// A large value is cut into parts under keys that are never used again, and a
// head under the value's own key names them. Parts never change, so whoever
// has read a head and finds all its parts has one whole value. What is missing
// is a miss: parts can be evicted, they cannot be exchanged.
type largeHead struct {
	id   uint64
	size int
}

func (h largeHead) encode() []byte {
	b := make([]byte, headSize)
	binary.BigEndian.PutUint64(b, h.id)
	binary.BigEndian.PutUint32(b[8:], uint32(h.size))
	return b
}

func (h largeHead) key(part int) [partKeySize]byte {
	var b [partKeySize]byte
	binary.BigEndian.PutUint64(b[:], h.id)
	binary.BigEndian.PutUint32(b[8:], uint32(part))
	return b
}

func (h largeHead) parts() int { return (h.size + partSize - 1) / partSize }

// head returns the head that r is, if it is one.
func (r stored) head() (largeHead, bool) {
	if r.kind != headRecord || len(r.payload) != headSize {
		return largeHead{}, false
	}
	return largeHead{
		id:   binary.BigEndian.Uint64(r.payload),
		size: int(binary.BigEndian.Uint32(r.payload[8:])),
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

// writeParts stores value in parts that expire with t.
func (c *Cache) writeParts(value []byte, t trailer, now int64) largeHead {
	h := largeHead{id: c.partID.Add(1), size: len(value)}
	t.kind = partRecord
	w := c.workspace()
	defer c.workspaces.Put(w)
	for i := range h.parts() {
		part := value[i*partSize : min((i+1)*partSize, len(value))]
		key := h.key(i)
		s := c.stripe(key[:])
		s.mu.Lock()
		// The key is new, so there is nothing to find and replace.
		s.put(w, key[:], part, t, stored{}, false, now)
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
		key := h.key(i)
		s := c.stripe(key[:])
		base := len(dst)
		out, found := s.get(dst, key[:])
		payload, t, whole := splitRecord(out[base:])
		if !found || !whole || t.kind != partRecord || len(payload) != min(partSize, end-base) {
			return dst, false
		}
		dst = out[:base+len(payload)]
		s.used(t.position, uint64(len(payload)))
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
		key := h.key(i)
		s := c.stripe(key[:])
		s.mu.Lock()
		r, ok := s.find(w, key[:])
		if ok && r.kind == partRecord {
			s.drop(key[:], r, now, new(uint64))
		}
		s.mu.Unlock()
	}
}

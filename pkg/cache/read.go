package cache

import "time"

// ReadSlack is the room that Get needs behind the value in dst. A dst with
// capacity for the value and ReadSlack bytes more is never reallocated.
const ReadSlack = trailerSize

// maxAttempts bounds how often a read starts again because the value was
// replaced while its parts were being read. Running out is a miss.
const maxAttempts = 4

// Get appends the value under key to dst and returns the result, which is the
// caller's. On a miss it returns dst unchanged. It does not allocate if dst has
// room for the value and ReadSlack. A hit counts as use of the entry.
func (c *Cache) Get(dst, key []byte) ([]byte, Meta, bool) {
	return c.GetUpTo(dst, key, c.maxValueSize)
}

// GetUpTo is Get for a caller that has memory for limit bytes only. An entry
// with a longer value is reported as found, its length in Meta.Size, but dst is
// returned unchanged, and neither a hit nor use is counted: the caller is
// expected to come back with a larger limit.
func (c *Cache) GetUpTo(dst, key []byte, limit int) ([]byte, Meta, bool) {
	if checkKey(key) != nil {
		return dst, Meta{}, false
	}
	now := c.clock()
	var buf placeKey
	var s *stripe
	for range maxAttempts {
		out, r, last, outcome := c.lookup(dst, key, &buf, int64(now), limit)
		dst, s = out[:len(dst)], last
		switch outcome {
		case readHit:
			s.hits.Add(1)
			return out, r.meta(now), true
		case readTooLong:
			return dst, r.meta(now), true
		case readMiss:
			s.misses.Add(1)
			return dst, Meta{}, false
		case readTorn:
			// A part is gone: look again whether the entry is a new one.
		}
	}
	s.misses.Add(1)
	return dst, Meta{}, false
}

// lookups is where a key is looked for. Entries go from the window to main, and
// may have done so between the first two.
var lookups = [...]segment{main, window, main}

// lookup is one attempt to read, wherever the entry is. It says where that was, or
// where it looked last.
func (c *Cache) lookup(dst, key []byte, buf *placeKey, now int64, limit int) (out []byte, e entryMeta, s *stripe, outcome readOutcome) {
	out = dst
	for _, in := range lookups {
		var placed []byte
		s, placed = c.place(in, key, buf)
		if out, e, outcome = c.read(s, out[:len(dst)], placed, now, limit); outcome != readMiss {
			break
		}
	}
	return out, e, s, outcome
}

// Peek returns an entry's description without its value. It counts neither as
// hit, nor as miss, nor as use of the entry.
func (c *Cache) Peek(key []byte) (Meta, bool) {
	if checkKey(key) != nil {
		return Meta{}, false
	}
	w := c.workspace()
	defer c.workspaces.Put(w)
	now := c.clock()
	var buf placeKey
	for _, in := range lookups {
		s, placed := c.place(in, key, &buf)
		r, ok := s.peek(w, placed)
		if !ok || r.expired(int64(now)) {
			continue
		}
		if size, ok := r.valueSize(); ok {
			return entryMeta{trailer: r.trailer, size: size}.meta(now), true
		}
	}
	return Meta{}, false
}

type readOutcome int

const (
	readMiss readOutcome = iota
	readHit
	readTooLong
	readTorn
)

// entryMeta is what a read keeps of a record.
type entryMeta struct {
	trailer
	size int
}

func (e entryMeta) meta(now time.Duration) Meta {
	m := Meta{Size: e.size, Age: max(0, now-time.Duration(e.created)*time.Millisecond)}
	if e.expiry != 0 {
		m.TTL = time.Duration(e.expiry) - now
	}
	return m
}

// read reads from one place. It returns dst, extended by the value on readHit.
func (c *Cache) read(s *stripe, dst, key []byte, now int64, limit int) ([]byte, entryMeta, readOutcome) {
	base := len(dst)
	out, found := s.get(dst, key)
	if !found {
		return dst, entryMeta{}, readMiss
	}
	payload, t, ok := splitRecord(out[base:], s.end.Load())
	r := stored{payload: payload, trailer: t}
	size, isEntry := r.valueSize()
	if !ok || !isEntry {
		return out[:base], entryMeta{}, readMiss
	}
	e := entryMeta{trailer: t, size: size}
	switch {
	case t.expired(now):
		c.discard(s, key, t.position, now)
		return out[:base], e, readMiss
	case size > limit:
		return out[:base], e, readTooLong
	case t.kind == wholeRecord:
		s.used(t, uint64(len(payload)))
		return out[:base+len(payload)], e, readHit
	}
	head, _ := r.head()
	return c.readLarge(s, out[:base], key, e, head, now)
}

// readLarge reads a value that is stored in parts.
func (c *Cache) readLarge(s *stripe, dst, key []byte, e entryMeta, head largeHead, now int64) ([]byte, entryMeta, readOutcome) {
	base := len(dst)
	out, ok := c.appendParts(dst, head)
	if !ok {
		if c.isCurrent(s, key, e.position) {
			c.discard(s, key, e.position, now)
			return out[:base], e, readMiss
		}
		return out[:base], e, readTorn
	}
	s.used(e.trailer, headSize)
	return out, e, readHit
}

// isCurrent reports whether the record at position still stands under a place's key.
func (c *Cache) isCurrent(s *stripe, key []byte, position uint64) bool {
	w := c.workspace()
	defer c.workspaces.Put(w)
	r, ok := s.peek(w, key)
	return ok && r.position == position
}

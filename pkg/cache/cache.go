package cache

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/fastcache"
)

// Cache is a bounded map with second-chance eviction and times to live. All
// methods may be called at the same time. The package comment states what is
// guaranteed.
type Cache struct {
	ring         *fastcache.Cache
	clock        func() time.Duration
	maxValueSize int
	capacity     int64
	stripes      [stripeCount]stripe
	// withoutWindow has all entries go to main.
	withoutWindow bool

	// largeValues counts, and parts numbers in each segment, what is written of large
	// values. Numbers start at random so that no client can name a part's key.
	largeValues atomic.Uint64
	parts       [segments]atomic.Uint64

	workspaces sync.Pool
}

// Meta describes an entry as of the moment it was read.
type Meta struct {
	// Size of the value in bytes.
	Size int
	// Age is the time since the Set that stored the value.
	Age time.Duration
	// TTL is the time left until expiry, always positive; 0 when the entry
	// does not expire.
	TTL time.Duration
}

// New returns an empty cache, or an error that says which option is wrong. The
// memory of the rings is taken as they fill, and not given back to the system
// before the process ends.
func New(o Options) (*Cache, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	var seed [8]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return nil, fmt.Errorf("cache: read random seed: %w", err)
	}
	c := &Cache{
		ring:          fastcache.New(int(o.Capacity)),
		clock:         o.Clock,
		maxValueSize:  o.MaxValueSize,
		capacity:      o.Capacity,
		withoutWindow: o.withoutWindow,
		workspaces:    sync.Pool{New: func() any { return new(workspace) }},
	}
	for i := range c.parts {
		c.parts[i].Store(binary.LittleEndian.Uint64(seed[:]) / (2 * stripeCount)) // room to count on
	}
	ringBytes := uint64(o.Capacity / stripeCount)
	for i := range c.stripes {
		s := &c.stripes[i]
		s.ring = c.ring
		s.ringBytes, s.indexBytes = ringBytes, uint64(o.IndexBytes/stripeCount)
		s.marks = newMarks(ringBytes)
		s.segment = segmentOf(uint64(i))
	}
	return c, nil
}

// MaxValueSize returns the longest value in bytes that Set accepts.
func (c *Cache) MaxValueSize() int { return c.maxValueSize }

// Set stores a copy of value under key for ttl; 0 stores it without expiry.
// The error wraps ErrKey, ErrTooLarge or ErrTTL, and then nothing has changed.
func (c *Cache) Set(key, value []byte, ttl time.Duration) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if len(value) > c.maxValueSize {
		return fmt.Errorf("%w: %d bytes, the limit is %d", ErrTooLarge, len(value), c.maxValueSize)
	}
	if err := checkTTL(ttl); err != nil {
		return err
	}
	now := c.clock()
	t := trailer{kind: wholeRecord, created: now.Milliseconds()}
	if ttl > 0 {
		t.expiry = int64(now + ttl)
	}
	if len(value) <= partSize {
		c.store(key, value, t, int64(now))
		return nil
	}
	// The parts go first: whoever sees the head can read them all.
	head := c.writeParts(value, t, int64(now))
	t.kind = headRecord
	c.store(key, head.encode(), t, int64(now))
	return nil
}

// store replaces whatever is under key by a new record. Whoever changes what is
// under a key holds the lock of its place in the window, and then that of its place
// in main: so a key has one record.
func (c *Cache) store(key, payload []byte, t trailer, now int64) {
	var windowBuf, mainBuf placeKey
	young, windowKey := c.place(window, key, &windowBuf)
	old, mainKey := c.place(main, key, &mainBuf)
	w := c.workspace()
	defer c.workspaces.Put(w)

	young.mu.Lock()
	old.mu.Lock()
	at, was, had := findEntry(w, old, mainKey, young, windowKey)
	if had {
		at.retire(was, now, &at.tally.overwrites)
	}
	orphan, isLarge := was.head()
	inMain := had && at == old
	toMain := inMain || t.kind == headRecord || !old.full || c.withoutWindow
	if toMain {
		c.put(w, old, mainKey, payload, t, was, inMain, now)
		old.mu.Unlock()
		if had && !inMain {
			young.erase(windowKey)
		}
	} else {
		old.mu.Unlock()
		c.put(w, young, windowKey, payload, t, was, had, now)
	}
	young.tally.sets++
	young.mu.Unlock()

	if had && isLarge {
		c.dropParts(orphan, now)
	}
}

// Delete removes the entry under key and reports whether there was one.
func (c *Cache) Delete(key []byte) bool {
	if checkKey(key) != nil {
		return false
	}
	var windowBuf, mainBuf placeKey
	young, windowKey := c.place(window, key, &windowBuf)
	old, mainKey := c.place(main, key, &mainBuf)
	now := int64(c.clock())
	w := c.workspace()
	defer c.workspaces.Put(w)

	young.mu.Lock()
	old.mu.Lock()
	at, was, had := findEntry(w, old, mainKey, young, windowKey)
	switch {
	case had && at == old:
		old.drop(mainKey, was, now, &old.tally.deletes)
	case had:
		young.drop(windowKey, was, now, &young.tally.deletes)
	}
	old.mu.Unlock()
	young.mu.Unlock()
	if !had {
		return false
	}
	if orphan, isLarge := was.head(); isLarge {
		c.dropParts(orphan, now)
	}
	return !was.expired(now)
}

// findEntry looks for a key's record in main and in the window, and says where it is.
// A part is no entry, whatever key it has. The caller holds both locks.
func findEntry(w *workspace, old *stripe, mainKey []byte, young *stripe, windowKey []byte) (at *stripe, r stored, ok bool) {
	if r, ok = old.find(w, mainKey); ok && r.kind != partRecord {
		return old, r, true
	}
	r, ok = young.find(w, windowKey)
	return young, r, ok && r.kind != partRecord
}

// discard removes the record under a place's key if it still is the one at position.
func (c *Cache) discard(s *stripe, key []byte, position uint64, now int64) {
	w := c.workspace()
	defer c.workspaces.Put(w)

	s.mu.Lock()
	was, had := s.find(w, key)
	if !had || was.position != position {
		s.mu.Unlock()
		return
	}
	s.drop(key, was, now, &s.tally.evictions)
	s.mu.Unlock()

	if orphan, isLarge := was.head(); isLarge {
		c.dropParts(orphan, now)
	}
}

func (c *Cache) workspace() *workspace { return c.workspaces.Get().(*workspace) }

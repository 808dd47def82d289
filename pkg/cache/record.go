package cache

import "encoding/binary"

// A record is what one fastcache entry holds: payload, padding, trailer. The
// bookkeeping stands behind the payload and not before it, so that reading into
// a caller's buffer needs no move: the tail is cut off.
//
//	payload | pad bytes | pad 2 | kind 1 | created 5 | expiry 8 | position 6
const trailerSize = 2 + 1 + 5 + 8 + 6

// recordOverhead is fastcache's own: two lengths of two bytes.
const recordOverhead = 4

type recordKind byte

const (
	// wholeRecord holds a value.
	wholeRecord recordKind = 1
	// headRecord stands under a key whose value is in parts.
	headRecord recordKind = 2
	// partRecord holds a piece of a value under a key of this package's own.
	partRecord recordKind = 3
)

type trailer struct {
	// created is the moment of Set in milliseconds of the cache's clock.
	created int64
	// expiry is the first moment at which the entry is no longer served, in
	// nanoseconds of the cache's clock; 0 is never.
	expiry int64
	// position is where the record starts, counted over all turns of its ring.
	// No two records of one ring share it, so it is the record's identity.
	position uint64
	pad      int
	kind     recordKind
}

func (t trailer) expired(now int64) bool { return t.expiry != 0 && now >= t.expiry }

// appendRecord appends pad zeros and the trailer to a payload.
func appendRecord(dst []byte, t trailer) []byte {
	var zeros [256]byte
	for left := t.pad; left > 0; {
		n := min(left, len(zeros))
		dst = append(dst, zeros[:n]...)
		left -= n
	}
	var b [trailerSize]byte
	binary.BigEndian.PutUint16(b[0:], uint16(t.pad))
	// Written from the back: each 8-byte store leaves its high bytes to the
	// field before it.
	binary.BigEndian.PutUint64(b[14:], t.position)
	binary.BigEndian.PutUint64(b[8:], uint64(t.expiry))
	var created [8]byte
	binary.BigEndian.PutUint64(created[:], uint64(t.created))
	copy(b[3:8], created[3:])
	b[2] = byte(t.kind)
	return append(dst, b[:]...)
}

// splitRecord is the inverse of appendRecord. It reports false for bytes that
// appendRecord cannot have made.
func splitRecord(b []byte) (payload []byte, t trailer, ok bool) {
	if len(b) < trailerSize {
		return nil, trailer{}, false
	}
	n := len(b) - trailerSize
	tail := b[n:]
	t.pad = int(binary.BigEndian.Uint16(tail[0:]))
	t.kind = recordKind(tail[2])
	t.created = int64(binary.BigEndian.Uint64(tail[0:]) & (1<<40 - 1))
	t.expiry = int64(binary.BigEndian.Uint64(tail[8:]))
	t.position = binary.BigEndian.Uint64(tail[14:]) & (1<<48 - 1)
	if t.pad > n {
		return nil, trailer{}, false
	}
	return b[:n-t.pad], t, true
}

// ringSize is the number of ring bytes that a record takes.
func ringSize(keyLen, valueLen int) uint64 {
	return uint64(recordOverhead + keyLen + valueLen)
}

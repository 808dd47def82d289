package cache

import "encoding/binary"

// A record is what one fastcache entry holds: payload and trailer. The
// bookkeeping stands behind the payload and not before it, so that reading into
// a caller's buffer needs no move: the tail is cut off. An expiry that is not
// there takes no space.
//
//	payload | expiry 8, or nothing | kind 1 | created 5 | position 4
//
// Of the position there are the last 32 bits: all that are in a ring at a time lie
// closer together.
const (
	shortTrailer = 1 + 5 + 4
	trailerSize  = 8 + shortTrailer // at most
)

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

	// expires is the bit beside the kind that says that an expiry is there.
	expires = 0x80
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
	kind     recordKind
}

func (t trailer) expired(now int64) bool { return t.expiry != 0 && now >= t.expiry }

func (t trailer) size() int {
	if t.expiry == 0 {
		return shortTrailer
	}
	return trailerSize
}

// appendTrailer appends the trailer to a payload.
func appendTrailer(dst []byte, t trailer) []byte {
	kind := byte(t.kind)
	if t.expiry != 0 {
		dst = binary.BigEndian.AppendUint64(dst, uint64(t.expiry))
		kind |= expires
	}
	created := uint64(t.created)
	dst = append(dst, kind, byte(created>>32))
	dst = binary.BigEndian.AppendUint32(dst, uint32(created))
	return binary.BigEndian.AppendUint32(dst, uint32(t.position))
}

// splitRecord is the inverse of appendTrailer for a record in a ring that is written
// up to end, or was a moment ago. It reports false for bytes that appendTrailer
// cannot have made.
func splitRecord(b []byte, end uint64) (payload []byte, t trailer, ok bool) {
	n := len(b) - shortTrailer
	if n < 0 {
		return nil, trailer{}, false
	}
	tail := b[n:]
	t.kind = recordKind(tail[0] &^ expires)
	t.created = int64(tail[1])<<32 | int64(binary.BigEndian.Uint32(tail[2:]))
	// Signed: whoever holds no lock can see a record before the end that it moved.
	t.position = end - uint64(int64(int32(uint32(end)-binary.BigEndian.Uint32(tail[6:]))))
	if tail[0]&expires != 0 {
		if n -= trailerSize - shortTrailer; n < 0 {
			return nil, trailer{}, false
		}
		t.expiry = int64(binary.BigEndian.Uint64(b[n:]))
	}
	return b[:n], t, true
}

// ringSize is the number of ring bytes that a record takes.
func ringSize(keyLen, recordLen int) uint64 {
	return uint64(recordOverhead + keyLen + recordLen)
}

// fit is where fastcache puts a record of size bytes in a ring written up to
// end: there, or at the next chunk when it would not end within this one. Rings
// are whole chunks, so the wrap to the beginning is the same step.
func fit(end, size uint64) uint64 {
	if end%chunkSize+size >= chunkSize {
		return (end/chunkSize + 1) * chunkSize
	}
	return end
}

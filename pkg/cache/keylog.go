package cache

import "encoding/binary"

// keyLog is what stands in one ring, in the order of writing: each record's key
// and size. fastcache can neither say what it is about to overwrite nor be
// walked through; with the log the oldest record can be looked at before it goes.
// It is a queue of bytes in blocks; a block that is
// read to its end is used again.
type keyLog struct {
	blocks [][]byte
	spare  []byte
	// read is the offset in the first block, written the one in the last.
	read, written int
	records       int
	// bytes is the length of all that is in the queue.
	bytes uint64
	// first is the position of the oldest record.
	first uint64
}

const (
	logBlock = 512
	// logHeader is two lengths of two bytes before each key.
	logHeader = 4
	// A block's slice takes 24 bytes beside its 512, and as much again where the
	// list of blocks has room to grow.
	logFactor, logDivisor = 12, 11
)

// logCost is the bytes that a key takes in the log.
func logCost(keyLen int) uint64 { return uint64(logHeader + keyLen) }

// push adds a record just written at position, behind all others.
func (l *keyLog) push(key []byte, position, size uint64) {
	if l.records == 0 {
		l.first = position
	}
	var header [logHeader]byte
	binary.BigEndian.PutUint16(header[0:], uint16(len(key)))
	binary.BigEndian.PutUint16(header[2:], uint16(size))
	l.write(header[:])
	l.write(key)
	l.records++
	l.bytes += logCost(len(key))
}

// pop takes out the oldest record and returns dst with its key appended, and its
// position and size. The log must not be empty.
func (l *keyLog) pop(dst []byte) (key []byte, position, size uint64) {
	var header [logHeader]byte
	l.take(header[:])
	keyLen, size := int(binary.BigEndian.Uint16(header[0:])), uint64(binary.BigEndian.Uint16(header[2:]))
	base := len(dst)
	dst = append(dst, make([]byte, keyLen)...)
	l.take(dst[base:])
	position = l.first
	l.records--
	l.bytes -= logCost(keyLen)
	if l.records > 0 {
		l.peek(header[:])
		l.first = fit(position+size, uint64(binary.BigEndian.Uint16(header[2:])))
	}
	return dst, position, size
}

func (l *keyLog) write(b []byte) {
	for len(b) > 0 {
		if len(l.blocks) == 0 || l.written == logBlock {
			if l.spare == nil {
				l.spare = make([]byte, logBlock)
			}
			l.blocks, l.spare, l.written = append(l.blocks, l.spare), nil, 0
		}
		n := copy(l.blocks[len(l.blocks)-1][l.written:], b)
		l.written += n
		b = b[n:]
	}
}

// take fills b from the front of the queue.
func (l *keyLog) take(b []byte) {
	for len(b) > 0 {
		n := copy(b, l.blocks[0][l.read:])
		l.read += n
		b = b[n:]
		if l.read == logBlock {
			l.spare, l.blocks[0] = l.blocks[0], nil
			l.blocks, l.read = l.blocks[1:], 0
		}
	}
}

// peek fills b as take does and leaves the queue as it is.
func (l *keyLog) peek(b []byte) {
	n := copy(b, l.blocks[0][l.read:])
	if n < len(b) {
		copy(b[n:], l.blocks[1])
	}
}

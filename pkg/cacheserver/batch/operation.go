package batch

import (
	"encoding/binary"
	"errors"
)

const (
	// MediaType names the format, in both directions.
	MediaType = "application/vnd.tiny-cache.batch"
	// MaxOperations is the most operations of one request.
	MaxOperations = 1024
	// MaxBytes is the longest body, in either direction.
	MaxBytes = 1 << 20
	// OperationHeader is what an operation takes beside its key and value.
	OperationHeader = 1 + 2 + 4 + 4
)

// ErrCutShort says that the bytes end within an operation or a result.
var ErrCutShort = errors.New("the bytes end too early")

// Verb says what to do.
type Verb byte

// The verbs.
const (
	Get    Verb = 1
	Put    Verb = 2
	Delete Verb = 3
)

// Operation is one thing to do with one key.
type Operation struct {
	Verb Verb
	// Key has 1 to 1024 bytes.
	Key []byte
	// TTL is the time to live in seconds, 0 for none; for Put only.
	TTL uint32
	// Value is for Put only.
	Value []byte
}

// Append appends o as it is sent. The key must be shorter than 64 KiB.
func (o Operation) Append(dst []byte) []byte {
	dst = append(dst, byte(o.Verb))
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(o.Key)))
	dst = binary.BigEndian.AppendUint32(dst, o.TTL)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(o.Value)))
	dst = append(dst, o.Key...)
	return append(dst, o.Value...)
}

// ReadOperation takes the first operation off b. It checks lengths and nothing
// else. Key and Value share b's memory.
func ReadOperation(b []byte) (o Operation, rest []byte, err error) {
	if len(b) < OperationHeader {
		return Operation{}, b, ErrCutShort
	}
	key, value := uint64(binary.BigEndian.Uint16(b[1:])), uint64(binary.BigEndian.Uint32(b[7:]))
	o = Operation{Verb: Verb(b[0]), TTL: binary.BigEndian.Uint32(b[3:])}
	body := b[OperationHeader:]
	if key+value > uint64(len(body)) {
		return Operation{}, b, ErrCutShort
	}
	o.Key, o.Value = body[:key:key], body[key:key+value:key+value]
	return o, body[key+value:], nil
}

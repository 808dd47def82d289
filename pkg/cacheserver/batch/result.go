package batch

import (
	"encoding/binary"
	"strconv"
)

// ResultHeader is what a result takes beside its value.
const ResultHeader = 1 + 4 + 4 + 4

// Outcome says what became of an operation.
type Outcome byte

// The outcomes. From 128 on nothing was done.
const (
	// Found comes with the value, its age and what is left of its ttl.
	Found Outcome = 1
	// Missing answers Get and Delete: no entry under this key.
	Missing Outcome = 2
	// Stored answers Put.
	Stored Outcome = 3
	// Removed answers Delete.
	Removed Outcome = 4

	// TooLarge answers a Put whose value is over the server's limit.
	TooLarge Outcome = 128
	// AskSingly answers a Get that found no room for its value in the answer,
	// or in the server's memory for answers: there may be an entry. As long as
	// all results together stay below MaxBytes - 8 KiB, there is room.
	AskSingly Outcome = 129
)

func (o Outcome) String() string {
	switch o {
	case Found:
		return "found"
	case Missing:
		return "missing"
	case Stored:
		return "stored"
	case Removed:
		return "removed"
	case TooLarge:
		return "too_large"
	case AskSingly:
		return "ask_singly"
	}
	return strconv.Itoa(int(o))
}

// Result is the answer to one operation.
type Result struct {
	Outcome Outcome
	// Age is the time in seconds since the entry was stored, rounded down.
	Age uint32
	// TTL is what is left of the entry's time to live in seconds, rounded up;
	// 0 when it does not expire.
	TTL   uint32
	Value []byte
}

// Append appends r as it is sent.
func (r Result) Append(dst []byte) []byte {
	return append(r.AppendHeader(dst, len(r.Value)), r.Value...)
}

// AppendHeader appends all of r but the value, whose length is given.
func (r Result) AppendHeader(dst []byte, valueLength int) []byte {
	dst = append(dst, byte(r.Outcome))
	dst = binary.BigEndian.AppendUint32(dst, r.Age)
	dst = binary.BigEndian.AppendUint32(dst, r.TTL)
	return binary.BigEndian.AppendUint32(dst, uint32(valueLength))
}

// ReadResult takes the first result off b. Value shares b's memory.
func ReadResult(b []byte) (r Result, rest []byte, err error) {
	if len(b) < ResultHeader {
		return Result{}, b, ErrCutShort
	}
	value := uint64(binary.BigEndian.Uint32(b[9:]))
	body := b[ResultHeader:]
	if value > uint64(len(body)) {
		return Result{}, b, ErrCutShort
	}
	r = Result{Outcome: Outcome(b[0]), Age: binary.BigEndian.Uint32(b[1:]), TTL: binary.BigEndian.Uint32(b[5:])}
	r.Value = body[:value:value]
	return r, body[value:], nil
}

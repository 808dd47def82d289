package cacheclient

import "time"

// Hooks are told what happens, for metrics and logs. Each may be nil. They are called on the
// goroutine of the request or of the source, several at a time, and must not block.
type Hooks struct {
	// Request is told of every request to a member, once, when it has ended; also of one that was
	// not sent.
	Request func(Event)
	// RingTaken is told of every ring that is taken over. It must not change it.
	RingTaken func(Snapshot)
	// RingPassedOver is told of every ring that is not, and why. A ring that is the present one
	// once more is not worth a word.
	RingPassedOver func(Snapshot, error)
}

// Event is a request that has ended.
type Event struct {
	// Member is the owner of the key; empty if there was no ring, or an empty one.
	Member    string
	Operation Operation
	Outcome   Outcome
	Duration  time.Duration
	// Keys is how many keys it was for: 1, or more in a batch. Done is how many of them were found,
	// stored or removed.
	Keys, Done int
	// Err says more of an Outcome Refused, Busy, Unreachable or Abandoned, and is nil with others.
	Err error
}

// Operation is what a request was to do. Its text is fit to be a metric's label.
type Operation string

// The operations.
const (
	OperationGet    Operation = "get"
	OperationSet    Operation = "set"
	OperationDelete Operation = "delete"
)

// Outcome is what came of a request. Its text is fit to be a metric's label.
type Outcome string

// The outcomes.
const (
	// Hit is a Get that found a value, Miss a Get or Delete that found none.
	Hit  Outcome = "hit"
	Miss Outcome = "miss"
	// Stored is a Set that was done, Removed a Delete that found something.
	Stored  Outcome = "stored"
	Removed Outcome = "removed"
	// Answered is the answer to a batch, in which every key has an outcome of its own.
	Answered Outcome = "answered"
	// Refused is a request that the member understood and refused, see ErrRefused.
	Refused Outcome = "refused"
	// Busy is a request that a living member had no room for. The caller sees a miss.
	Busy Outcome = "busy"
	// Unreachable is a request that the member did not answer. The caller sees a miss.
	Unreachable Outcome = "unreachable"
	// Skipped is a request that was not sent: the member was dead a moment ago, all connections
	// were taken for the whole Timeout, or there is no ring. The caller sees a miss.
	Skipped Outcome = "skipped"
	// Abandoned is a request that ended with the caller's context or with the client.
	Abandoned Outcome = "abandoned"
)

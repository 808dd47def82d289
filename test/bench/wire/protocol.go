// Package wire speaks the protocols of the compared servers, as bare as possible: requests are
// appended to a buffer, replies are read where they lie. It owns no connection and never waits,
// so that the load generator's share of a request is small and the same for all servers.
package wire

import "fmt"

// Op is the kind of a request; replies are read by it.
type Op int

// The kinds of requests.
const (
	Get Op = iota
	Set
	Batch
)

// Reply is what a server answered.
type Reply struct {
	// Hits is the number of values found, or stored.
	Hits int
	// Bytes is the length of the values found, together.
	Bytes int
}

// Protocol writes requests and reads replies.
type Protocol interface {
	AppendGet(dst, key []byte) []byte
	AppendSet(dst, key, value []byte) []byte
	// AppendBatch asks for all the keys at once.
	AppendBatch(dst []byte, keys [][]byte) []byte
	// Parse reads the reply to one request at the start of b and returns its length; 0 while it
	// is incomplete. Bytes behind the reply are left alone.
	Parse(op Op, b []byte) (int, Reply, error)
}

// unexpected quotes the beginning of a reply that no request of this program should meet.
func unexpected(protocol string, b []byte) error {
	return fmt.Errorf("%s: unexpected reply %q: is the right server on this port?", protocol, b[:min(len(b), 200)])
}

//go:build linux

package main

import (
	"github.com/sk1-services/distributed-cache/test/bench/traffic"
	"github.com/sk1-services/distributed-cache/test/bench/wire"
)

// newcomers is requests whose stores are all of keys that were never seen before.
type newcomers struct {
	*requests
	next *uint64
	key  [traffic.KeySize]byte
}

// Next appends a request.
func (n *newcomers) Next(dst []byte) ([]byte, wire.Op) {
	if n.random.Float64() >= n.sets {
		return n.protocol.AppendGet(dst, n.pick()), wire.Get
	}
	*n.next++
	return n.protocol.AppendSet(dst, traffic.AppendKey(n.key[:0], *n.next), n.value), wire.Set
}

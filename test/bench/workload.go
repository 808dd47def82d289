//go:build linux

package main

import (
	"bytes"
	"math/rand/v2"

	"github.com/sk1-services/distributed-cache/test/bench/traffic"
	"github.com/sk1-services/distributed-cache/test/bench/wire"
)

// workload is a kind of traffic on keys that are all there.
type workload struct {
	name string
	// valueSize is the length of all values in bytes.
	valueSize int
	// sets is the share of requests that store.
	sets float64
	// batch is the number of keys asked for at once.
	batch int
}

const (
	smallValue = 100
	largeValue = 4 << 10
	batchKeys  = 16
)

var workloads = []workload{
	{name: "get_100B", valueSize: smallValue, batch: 1},
	{name: "get_4KiB", valueSize: largeValue, batch: 1},
	{name: "mixed_100B", valueSize: smallValue, sets: 0.1, batch: 1},
	{name: "batch16", valueSize: smallValue, batch: batchKeys},
}

// dataset is the keys of one length of values. There is so much that no core's cache holds it.
type dataset struct {
	keys  [][]byte
	value []byte
}

func newDataset(size int) dataset {
	const bytesOfValues, mostKeys = 40 << 20, 100_000
	count := min(mostKeys, bytesOfValues/size)
	return dataset{keys: traffic.Keys(uint64(size)<<32, count), value: bytes.Repeat([]byte("v"), size)}
}

// requests is a load.Source: keys at random from a seed, the same for every server.
type requests struct {
	workload
	dataset
	protocol wire.Protocol
	random   *rand.Rand
	picked   [][]byte
}

func newRequests(w workload, d dataset, protocol wire.Protocol, seed uint64) *requests {
	random := rand.New(rand.NewPCG(seed, 1)) // #nosec G404 -- the load must repeat
	return &requests{workload: w, dataset: d, protocol: protocol, random: random}
}

// Next appends a request.
func (r *requests) Next(dst []byte) ([]byte, wire.Op) {
	if r.batch > 1 {
		r.picked = r.picked[:0]
		for range r.batch {
			r.picked = append(r.picked, r.pick())
		}
		return r.protocol.AppendBatch(dst, r.picked), wire.Batch
	}
	if r.sets > 0 && r.random.Float64() < r.sets {
		return r.protocol.AppendSet(dst, r.pick(), r.value), wire.Set
	}
	return r.protocol.AppendGet(dst, r.pick()), wire.Get
}

func (r *requests) pick() []byte { return r.keys[r.random.IntN(len(r.keys))] }

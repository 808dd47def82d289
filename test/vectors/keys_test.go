//go:build vectors

package vectors_test

import (
	"encoding/binary"
	"fmt"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// stream is SplitMix64, as keys.py has it: the keys are made twice, and never sent.
type stream uint64

func (s *stream) next() uint64 {
	number := ring.Mix(uint64(*s))
	*s += 0x9e3779b97f4a7c15
	return number
}

func (s *stream) below(n uint64) int { return int(s.next() % n) }

func (s *stream) bytes(n int) []byte {
	var words []byte
	for len(words) < n {
		words = binary.LittleEndian.AppendUint64(words, s.next())
	}
	return words[:n]
}

// key is the key at a place in the sequence of keys.py.
func (s *stream) key(i int) []byte {
	switch {
	case i == 0:
		return nil
	case i%50 == 1:
		return s.bytes(4096)
	case i%5 == 2:
		return s.bytes(s.below(64))
	case i%5 == 3:
		return s.unicode()
	}
	return fmt.Appendf(nil, "user-%d", s.below(1_000_000_000))
}

func (s *stream) unicode() []byte {
	blocks := []struct{ first, size int }{{0x20, 95}, {0x391, 57}, {0x410, 64}, {0x4e00, 20902}, {0x1f300, 768}}
	var key []byte
	for range 1 + s.below(20) {
		block := blocks[s.below(uint64(len(blocks)))]
		key = append(key, string(rune(block.first+s.below(uint64(block.size))))...)
	}
	return key
}

package batch

import (
	"bytes"
	"testing"
)

// FuzzWire reads any bytes as operations and as results. What can be read is
// written again as the same bytes, and nothing is read beyond the end.
func FuzzWire(f *testing.F) {
	f.Add(Operation{Verb: Put, Key: []byte("k"), TTL: 60, Value: []byte("v")}.Append(nil))
	f.Add(Result{Outcome: Found, Age: 1, TTL: 2, Value: []byte("v")}.Append(nil))
	f.Add([]byte("\x02\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var again []byte
		rest := b
		for len(rest) > 0 {
			o, next, err := ReadOperation(rest)
			if err != nil {
				if len(next) != len(rest) {
					t.Fatalf("%v, but %d bytes were taken", err, len(rest)-len(next))
				}
				break
			}
			again, rest = o.Append(again), next
		}
		if !bytes.Equal(append(again, rest...), b) {
			t.Fatalf("operations %x are written again as %x", b, again)
		}
		again, rest = nil, b
		for len(rest) > 0 {
			r, next, err := ReadResult(rest)
			if err != nil {
				break
			}
			again, rest = r.Append(again), next
		}
		if !bytes.Equal(append(again, rest...), b) {
			t.Fatalf("results %x are written again as %x", b, again)
		}
	})
}

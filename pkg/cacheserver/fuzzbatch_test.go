package cacheserver

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// FuzzBatch sends any bytes as a batch and compares answer and effect with a
// plain map, and the reading of the format with a second one, written from
// docs/http-api.md without the package's help.
func FuzzBatch(f *testing.F) {
	f.Add(putOp("k", "hi", 60).Append(getOp("k").Append(getOp("x").Append(nil))))
	f.Add(deleteOp("k").Append(putOp("k", "", 0).Append(deleteOp("k").Append(nil))))
	f.Add(putOp("k", pattern(9000), 0).Append(nil))
	f.Add([]byte("\x01\x00\x01\x00\x00\x00\x00\xff\xff\xff\xffk"))
	engine, s := newFuzzed(f, nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		var ctx fasthttp.RequestCtx
		ctx.Request.Header.SetMethod(http.MethodPost)
		ctx.Request.SetRequestURI(batchPath)
		ctx.Request.Header.SetContentType(batch.MediaType)
		ctx.Request.SetBodyStream(bytes.NewReader(body), len(body))
		s.handle(&ctx)

		operations, ok := readPlainly(body)
		model := map[string][]byte{}
		var want []byte
		for _, o := range operations {
			want = append(want, onModel(model, o)...)
			defer engine.Delete(o.key)
		}
		status, got := ctx.Response.StatusCode(), ctx.Response.Body()
		switch {
		case len(body) > batch.MaxBytes || len(operations) > batch.MaxOperations:
			if status != http.StatusRequestEntityTooLarge && status != http.StatusBadRequest {
				t.Fatalf("%d bytes, %d operations: status %d", len(body), len(operations), status)
			}
		case !ok:
			if status != http.StatusBadRequest {
				t.Fatalf("malformed: status %d", status)
			}
			for _, o := range operations {
				if _, found := engine.Peek(o.key); found {
					t.Fatalf("malformed, but %q was stored", o.key)
				}
			}
		case status != http.StatusOK:
			t.Fatalf("well-formed: status %d, %s", status, got)
		default:
			if len(want) < batch.MaxBytes-smallValue && !bytes.Equal(withoutTimes(t, got), want) {
				t.Fatalf("answer %x, the model has %x", got, want)
			}
		}
	})
}

type plainOperation struct {
	verb       byte
	key, value []byte
}

// readPlainly returns the operations up to the first malformed one.
func readPlainly(body []byte) (operations []plainOperation, ok bool) {
	for r := bytes.NewReader(body); r.Len() > 0; {
		var h struct {
			Verb  byte
			Key   uint16
			TTL   uint32
			Value uint32
		}
		if binary.Read(r, binary.BigEndian, &h) != nil || int64(h.Key)+int64(h.Value) > int64(r.Len()) {
			return operations, false
		}
		o := plainOperation{verb: h.Verb, key: make([]byte, h.Key), value: make([]byte, h.Value)}
		_, _ = r.Read(o.key)
		_, _ = r.Read(o.value)
		bare := h.TTL == 0 && h.Value == 0
		if h.Key < 1 || h.Key > 1024 || h.TTL > 315360000 || h.Verb < 1 || h.Verb > 3 || (h.Verb != 2 && !bare) {
			return operations, false
		}
		operations = append(operations, o)
	}
	return operations, true
}

// onModel executes o on a map and returns the result with zero for the times.
func onModel(model map[string][]byte, o plainOperation) []byte {
	old, there := model[string(o.key)]
	result := func(outcome byte, value []byte) []byte {
		b := append([]byte{outcome}, make([]byte, 8)...)
		return append(binary.BigEndian.AppendUint32(b, uint32(len(value))), value...)
	}
	switch {
	case o.verb == 2:
		model[string(o.key)] = o.value
		return result(3, nil)
	case !there:
		return result(2, nil)
	case o.verb == 1:
		return result(1, old)
	}
	delete(model, string(o.key))
	return result(4, nil)
}

// withoutTimes sets the times in an answer to zero: the clock goes on.
func withoutTimes(t *testing.T, answer []byte) []byte {
	t.Helper()
	var out []byte
	for len(answer) > 0 {
		r, rest, err := batch.ReadResult(answer)
		if err != nil {
			t.Fatalf("the answer %x: %v", answer, err)
		}
		out, answer = batch.Result{Outcome: r.Outcome, Value: r.Value}.Append(out), rest
	}
	return out
}

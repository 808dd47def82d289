package batch

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"
)

// The bytes are the API: these are what clients in other languages send and get.
func TestBytesOnTheWire(t *testing.T) {
	for want, o := range map[string]Operation{
		"01" + "0003" + "00000000" + "00000000" + "612f62":               {Verb: Get, Key: []byte("a/b")},
		"02" + "0001" + "0000003c" + "00000002" + "6b" + "0a00":          {Verb: Put, Key: []byte("k"), TTL: 60, Value: []byte("\n\x00")},
		"03" + "0002" + "00000000" + "00000000" + "fffe":                 {Verb: Delete, Key: []byte("\xff\xfe")},
		"02" + "0001" + "12cc0300" + "00000000" + "6b":                   {Verb: Put, Key: []byte("k"), TTL: 315360000},
		"09" + "0000" + "ffffffff" + "00000001" + "" /* no key */ + "76": {Verb: 9, TTL: 1<<32 - 1, Value: []byte("v")},
	} {
		sent := o.Append(nil)
		if got := hex.EncodeToString(sent); got != want {
			t.Errorf("%+v is sent as %s, want %s", o, got, want)
		}
		back, rest, err := ReadOperation(append(sent, 0xee))
		if err != nil || !bytes.Equal(rest, []byte{0xee}) || back.Verb != o.Verb || back.TTL != o.TTL ||
			!bytes.Equal(back.Key, o.Key) || !bytes.Equal(back.Value, o.Value) {
			t.Errorf("%s is read as %+v, rest %x, %v", want, back, rest, err)
		}
	}
	for want, r := range map[string]Result{
		"01" + "00000001" + "0000003b" + "00000002" + "0a00": {Outcome: Found, Age: 1, TTL: 59, Value: []byte("\n\x00")},
		"02" + "00000000" + "00000000" + "00000000":          {Outcome: Missing},
		"81" + "00000000" + "00000000" + "00000000":          {Outcome: AskSingly},
	} {
		sent := r.Append(nil)
		if got := hex.EncodeToString(sent); got != want {
			t.Errorf("%+v is sent as %s, want %s", r, got, want)
		}
		back, rest, err := ReadResult(append(sent, 0xee))
		if err != nil || !bytes.Equal(rest, []byte{0xee}) || back.Outcome != r.Outcome || back.Age != r.Age ||
			back.TTL != r.TTL || !bytes.Equal(back.Value, r.Value) {
			t.Errorf("%s is read as %+v, rest %x, %v", want, back, rest, err)
		}
	}
}

func TestCutShort(t *testing.T) {
	operation := Operation{Verb: Put, Key: []byte("key"), Value: []byte("value")}.Append(nil)
	for n := range operation {
		if _, rest, err := ReadOperation(operation[:n]); !errors.Is(err, ErrCutShort) || len(rest) != n {
			t.Errorf("%d bytes of an operation: %v, %d left", n, err, len(rest))
		}
	}
	result := Result{Outcome: Found, Value: []byte("value")}.Append(nil)
	for n := range result {
		if _, rest, err := ReadResult(result[:n]); !errors.Is(err, ErrCutShort) || len(rest) != n {
			t.Errorf("%d bytes of a result: %v, %d left", n, err, len(rest))
		}
	}
	huge := []byte("\x02\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff")
	if _, _, err := ReadOperation(huge); !errors.Is(err, ErrCutShort) {
		t.Errorf("lengths beyond all bytes: %v", err)
	}
}

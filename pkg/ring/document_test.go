package ring_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

func TestEncodeIsCanonical(t *testing.T) {
	for _, tc := range []struct {
		document ring.Document
		want     string
	}{
		{ring.Document{Version: 7, Members: []string{"orders-cache-0", "orders-cache-1"}}, `{"version":7,"members":["orders-cache-0","orders-cache-1"]}`},
		{ring.Document{Version: 1}, `{"version":1,"members":[]}`},
		{ring.Document{Version: 2, Members: []string{"a-9", "a-10"}}, `{"version":2,"members":["a-9","a-10"]}`},
	} {
		got, err := tc.document.Encode()
		if err != nil {
			t.Fatalf("Encode(%+v): %v", tc.document, err)
		}
		if string(got) != tc.want {
			t.Errorf("Encode(%+v) = %s, want %s", tc.document, got, tc.want)
		}
	}
}

// Which texts are refused is in test/vectors/documents.json; here, that the error says what would
// be right.
func TestDecodeSaysWhatWouldBeRight(t *testing.T) {
	for text, want := range map[string]string{
		`version 1`:                                  "not one JSON text",
		`{"version":1,"members":[]}]`:                "not one JSON text",
		"{\"version\":1,\"\xff\":0}":                 "not UTF-8",
		`[1]`:                                        "not an object",
		`{"version":1}`:                              `"members" occurs 0 times, where once is needed`,
		`{"Version":1,"members":[]}`:                 `"version" occurs 0 times, where once is needed`,
		`{"version":1.5,"members":[]}`:               `version "1.5", where whole digits`,
		`{"version":0,"members":[]}`:                 "version 0, where a positive number is needed",
		`{"version":1,"members":{}}`:                 "where a list is needed",
		`{"version":1,"members":["a"]}`:              `member "a" does not end in -<ordinal>`,
		`{"version":1,"members":["A-0"]}`:            `member "A-0" is not a DNS label`,
		`{"version":1,"members":["a-10","a-9"]}`:     `member "a-9" does not come in numeric order behind ordinal 10`,
		strings.Repeat(" ", ring.MaxDocumentBytes+1): "131073 bytes, where at most 131072 are allowed",
	} {
		d, err := ring.Decode([]byte(text))
		if !errors.Is(err, ring.ErrMalformed) || !strings.Contains(err.Error(), want) {
			t.Errorf("Decode(%.60q) = %+v, %v, want an error with %q", text, d, err, want)
		}
	}
}

func TestEncodeRefusesWhatDecodeWould(t *testing.T) {
	var many []string
	for i := range ring.MaxOrdinal + 1 {
		many = append(many, fmt.Sprintf("a-long-name-%d", i))
	}
	for name, d := range map[string]ring.Document{
		"no version": {Members: []string{"a-0"}},
		"disorder":   {Version: 1, Members: []string{"a-1", "a-0"}},
		"no label":   {Version: 1, Members: []string{"<a>-0"}},
		"too long":   {Version: 1, Members: many},
	} {
		if text, err := d.Encode(); !errors.Is(err, ring.ErrMalformed) || text != nil {
			t.Errorf("%s: %.40q, %v, want an error that wraps ErrMalformed", name, text, err)
		}
	}
}

func TestPublishedNeedsAnOwner(t *testing.T) {
	text := []byte(`{"version":1,"members":[]}`)
	if p, err := ring.ReadPublished("", text); !errors.Is(err, ring.ErrMalformed) {
		t.Errorf("%+v, %v, want an error that wraps ErrMalformed", p, err)
	}
	if p, err := ring.ReadPublished("uid", text); err != nil || !p.Supersedes(ring.Published{}) {
		t.Errorf("%+v, %v, want a first ring", p, err)
	}
}

// The incident behind C1: a list that was sorted as text.
func TestC1OrderIsNumeric(t *testing.T) {
	random := numbers(6)
	for n := 1; n <= 120; n++ {
		want := members(upTo(n)...)
		got := slices.Clone(want)
		random.Shuffle(n, func(i, j int) { got[i], got[j] = got[j], got[i] })
		ring.Sort(got)
		if !cmp.Equal(got, want) {
			t.Fatalf("n=%d: %v", n, got)
		}
		if _, err := (ring.Document{Version: 1, Members: want}).Encode(); err != nil {
			t.Errorf("n=%d: %v", n, err)
		}
		slices.Sort(got)
		_, err := ring.NewRouter(got)
		if isRight := slices.Equal(got, want); isRight != (err == nil) {
			t.Errorf("n=%d in order of text: %v, want an error exactly where that is not numeric order", n, err)
		}
	}
}

// The incident behind C13: members known by address, so that a restart changed the ring.
func TestC13MembersAreNames(t *testing.T) {
	for _, address := range []string{"10.0.0.7", "10.0.0.7:8080", "[fd00::7]:8080", "a-1.a.shop.svc", "a-1:8080", "10-0-0-7.shop.pod"} {
		if text, err := (ring.Document{Version: 1, Members: []string{address}}).Encode(); err == nil {
			t.Errorf("%s is a member of %s, want an error", address, text)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"version":7,"members":["a-0","a-1"]}`,
		` {"members":[ ],"x":[{"y":1e9}],"version":1} `,
		`{"version":7,"Version":8,"members":["\u0061-0"],"x":"\ud800"}`,
		`{"version":7,"members":[],"members":[]}`,
		`{"version":7,"members":[]}]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ring.Decode(data)
		if err != nil {
			if !errors.Is(err, ring.ErrMalformed) || !cmp.Equal(d, ring.Document{}) {
				t.Fatalf("refused as %+v, %v, want nothing and an error that wraps ErrMalformed", d, err)
			}
			return
		}
		once, err := d.Encode()
		if err != nil {
			t.Fatalf("decoded document does not encode: %v", err)
		}
		if again, err := ring.Decode(once); err != nil || !cmp.Equal(again, d) {
			t.Fatalf("%s does not survive a round trip: %+v, %v", once, again, err)
		}
		if len(once) > len(data) {
			t.Fatalf("canonical bytes %s are longer than %s", once, data)
		}
		if _, err := ring.NewRouter(d.Members); err != nil {
			t.Fatalf("decoded members do not route: %v", err)
		}
	})
}

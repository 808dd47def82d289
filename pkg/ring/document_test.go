package ring_test

import (
	"errors"
	"fmt"
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

func TestDecodeRefusesWhatBreaksARule(t *testing.T) {
	for name, text := range map[string]string{
		"empty":            ``,
		"not JSON":         `version 1`,
		"no members":       `{"version":1}`,
		"null members":     `{"version":1,"members":null}`,
		"no version":       `{"members":[]}`,
		"version zero":     `{"version":0,"members":[]}`,
		"negative version": `{"version":-1,"members":[]}`,
		"fraction":         `{"version":1.5,"members":[]}`,
		"lexical order":    `{"version":1,"members":["a-10","a-9"]}`,
		"duplicate":        `{"version":1,"members":["a-1","a-1"]}`,
		"no ordinal":       `{"version":1,"members":["a"]}`,
		"signed ordinal":   `{"version":1,"members":["a-+1"]}`,
		"leading zero":     `{"version":1,"members":["a-01"]}`,
		"text behind":      `{"version":1,"members":[]} {}`,
		"too long":         `{"version":1,"members":[]}` + strings.Repeat(" ", ring.MaxDocumentBytes),
	} {
		t.Run(name, func(t *testing.T) {
			if d, err := ring.Decode([]byte(text)); !errors.Is(err, ring.ErrMalformed) {
				t.Errorf("Decode(%.40q) = %+v, %v, want an error that wraps ErrMalformed", text, d, err)
			}
		})
	}
}

func TestDecodeIgnoresUnknownFields(t *testing.T) {
	got, err := ring.Decode([]byte(`{"version":3,"members":["a-0"],"zones":{"a-0":"x"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := (ring.Document{Version: 3, Members: []string{"a-0"}}); !cmp.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestC1OrderIsNumeric(t *testing.T) {
	for n := 1; n <= 120; n++ {
		var want []string
		for i := range n {
			want = append(want, fmt.Sprintf("a-%d", i))
		}
		got := append([]string(nil), want...)
		for i := range got {
			j := (i * 7) % n
			got[i], got[j] = got[j], got[i]
		}
		ring.Sort(got)
		if !cmp.Equal(got, want) {
			t.Fatalf("n=%d: %v", n, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":7,"members":["a-0","a-1"]}`))
	f.Add([]byte(`{"version":7,"members":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ring.Decode(data)
		if err != nil {
			return
		}
		once, err := d.Encode()
		if err != nil {
			t.Fatalf("decoded document does not encode: %v", err)
		}
		again, err := ring.Decode(once)
		if err != nil || !cmp.Equal(again.Members, d.Members) && len(d.Members) > 0 {
			t.Fatalf("%s does not survive a round trip: %+v, %v", once, again, err)
		}
	})
}

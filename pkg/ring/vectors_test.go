package ring_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	jump "github.com/dgryski/go-jump"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// vectors reads the cases of a file in test/vectors, which a program in another language wrote.
func vectors[T any](t *testing.T, file string) []T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "test", "vectors", file))
	if err != nil {
		t.Fatal(err)
	}
	var content struct {
		Cases []T `json:"cases"`
	}
	if err := json.Unmarshal(text, &content); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if len(content.Cases) == 0 {
		t.Fatalf("%s has no cases", file)
	}
	return content.Cases
}

func number(t *testing.T, hexadecimal string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(hexadecimal, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestC12HashVectors(t *testing.T) {
	for _, tc := range vectors[struct {
		Key  []byte
		Hash string
	}](t, "hash.json") {
		if got := fmt.Sprintf("%016x", xxhash.Sum64(tc.Key)); got != tc.Hash {
			t.Errorf("XXH64(%q) = %s, want %s", tc.Key, got, tc.Hash)
		}
	}
}

func TestC12MixVectors(t *testing.T) {
	for _, tc := range vectors[struct{ Hash, Next string }](t, "mix.json") {
		if got := fmt.Sprintf("%016x", ring.Mix(number(t, tc.Hash))); got != tc.Next {
			t.Errorf("Mix(%s) = %s, want %s", tc.Hash, got, tc.Next)
		}
	}
}

func TestC12JumpVectors(t *testing.T) {
	for _, tc := range vectors[struct {
		Hash  string
		Slots int
		Slot  int
	}](t, "jump.json") {
		h := number(t, tc.Hash)
		if got := ring.Jump(h, tc.Slots); got != tc.Slot {
			t.Errorf("jump(%s, %d) = %d, want %d", tc.Hash, tc.Slots, got, tc.Slot)
		}
		if got := int(jump.Hash(h, tc.Slots)); got != tc.Slot {
			t.Errorf("the published jump(%s, %d) = %d, want %d", tc.Hash, tc.Slots, got, tc.Slot)
		}
	}
}

func TestC12RoutingVectors(t *testing.T) {
	for _, tc := range vectors[struct {
		Name, Document string
		Keys           []struct {
			Key   []byte
			Owner *string
			Gaps  int
		}
	}](t, "routing.json") {
		t.Run(tc.Name, func(t *testing.T) {
			document, err := ring.Decode([]byte(tc.Document))
			if err != nil {
				t.Fatal(err)
			}
			r := router(t, document.Members)
			for _, key := range tc.Keys {
				got, ok := r.Locate(key.Key)
				if want := deref(key.Owner); got != want || ok != (key.Owner != nil) {
					t.Errorf("owner of %q = %q, %v, want %q behind %d gaps", key.Key, got, ok, want, key.Gaps)
				}
				if again, _ := r.LocateString(string(key.Key)); again != got {
					t.Errorf("owner of %q = %q as bytes and %q as a string", key.Key, got, again)
				}
			}
		})
	}
}

func TestC12DocumentVectors(t *testing.T) {
	for _, tc := range vectors[struct {
		Name      string
		Text      []byte
		Spaces    int
		Canonical *string
	}](t, "documents.json") {
		t.Run(tc.Name, func(t *testing.T) {
			text := append(tc.Text, strings.Repeat(" ", tc.Spaces)...)
			got, err := canonical(text)
			if want := deref(tc.Canonical); got != want {
				t.Errorf("%.80q is read as %q (%v), want %q", text, got, err, want)
			}
		})
	}
}

func TestC12SuccessionVectors(t *testing.T) {
	for _, tc := range vectors[struct {
		Name  string
		Steps []struct {
			Owner, Text string
			InForce     *struct{ Owner, Document string }
		}
	}](t, "succession.json") {
		t.Run(tc.Name, func(t *testing.T) {
			var inForce ring.Published
			for i, step := range tc.Steps {
				if seen, err := ring.ReadPublished(step.Owner, []byte(step.Text)); err == nil && seen.Supersedes(inForce) {
					inForce = seen
				}
				var got, want string
				if inForce.Owner != "" {
					text, err := inForce.Ring.Encode()
					if err != nil {
						t.Fatal(err)
					}
					got = inForce.Owner + " " + string(text)
				}
				if step.InForce != nil {
					want = step.InForce.Owner + " " + step.InForce.Document
				}
				if got != want {
					t.Errorf("after step %d, %s %s: %q is in force, want %q", i, step.Owner, step.Text, got, want)
				}
			}
		})
	}
}

// canonical is what a text is read as, "" if it is malformed.
func canonical(text []byte) (string, error) {
	document, err := ring.Decode(text)
	if err != nil {
		if !errors.Is(err, ring.ErrMalformed) {
			return "an error that does not wrap ErrMalformed", err
		}
		return "", err
	}
	encoded, err := document.Encode()
	return string(encoded), err
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

//go:build vectors

// Package vectors_test holds the Go packages and the Python program beside it, which know of each
// other only by docs/routing.md, against each other.
package vectors_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

const (
	keyCount      = 100_000
	documentCount = 20_000
	seed          = 20140610
)

// python runs vectors.py and gives its lines; a Python that is missing or fails fails the test.
func python(t *testing.T, arguments ...string) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "python3", append([]string{"vectors.py"}, arguments...)...)
	output, err := command.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		t.Fatalf("vectors.py %s: %v", strings.Join(arguments, " "), err)
	}
	return strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
}

func TestVectorFilesAreFresh(t *testing.T) {
	t.Log(python(t, "--check"))
}

func TestC12KeysHaveTheSameOwners(t *testing.T) {
	lines := python(t, "--keys", strconv.Itoa(keyCount))
	var documents []string
	if err := json.Unmarshal([]byte(lines[0]), &documents); err != nil || len(documents) == 0 {
		t.Fatalf("no rings in %.80q: %v", lines[0], err)
	}
	routers := make([]*ring.Router, len(documents))
	for i, text := range documents {
		document, err := ring.Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if routers[i], err = ring.NewRouter(document.Members); err != nil {
			t.Fatal(err)
		}
	}
	keys, owners := stream(seed), lines[1:]
	for i, want := range owners {
		key := keys.key(i)
		got := fmt.Sprintf("%016x", xxhash.Sum64(key))
		for _, router := range routers {
			owner, _ := router.Locate(key)
			got += " " + owner
		}
		if got != want {
			t.Fatalf("key %d, %.60q: Go has %s, Python %s", i, key, got, want)
		}
	}
	if len(owners) != keyCount {
		t.Fatalf("%d keys were compared, want %d", len(owners), keyCount)
	}
	fmt.Printf("figure routing.agreement_keys %d keys\n", len(owners))
}

func TestC12DamagedDocumentsAreReadAlike(t *testing.T) {
	lines := python(t, "--documents", strconv.Itoa(documentCount))
	accepted := 0
	for _, text := range lines {
		var line struct {
			Text      []byte
			Canonical *string
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		got, want := "", ""
		document, err := ring.Decode(line.Text)
		if err == nil {
			text, err := document.Encode()
			if err != nil {
				t.Fatal(err)
			}
			got = string(text)
		}
		if line.Canonical != nil {
			want = *line.Canonical
			accepted++
		}
		if got != want {
			t.Errorf("%q: Go reads %q (%v), Python %q", line.Text, got, err, want)
		}
	}
	if len(lines) != documentCount || accepted < documentCount/20 {
		t.Fatalf("%d documents were compared and %d accepted, want %d and a twentieth of them", len(lines), accepted, documentCount)
	}
	fmt.Printf("figure routing.agreement_documents %d documents\n", len(lines))
}

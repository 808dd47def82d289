// Package ring is the member list that clients route by: its document, its order, its
// succession, and the routing function jump-xxh64-v1.
//
// Its law: the same members give the same bytes, in numeric order of their ordinals, and the
// same key on the same bytes gives the same member in every language. docs/routing.md is the
// specification, test/vectors its examples. The package knows nothing of Kubernetes; a member is
// a name that ends in a hyphen and its ordinal.
package ring

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Document is a published ring. Version is positive and grows whenever the members change;
// Members are in numeric order of their ordinals, without duplicates.
type Document struct {
	Version int64    `json:"version"`
	Members []string `json:"members"`
}

// MaxDocumentBytes bounds the text of a document: a thousand members of the longest name take
// less.
const MaxDocumentBytes = 128 << 10

// maxName is the longest label of a DNS name, which a member's name is.
const maxName = 63

// ErrMalformed is wrapped by every error of Decode, Encode and NewRouter.
var ErrMalformed = errors.New("malformed ring document")

// Encode gives the canonical bytes of d: no white space, version before members, members never
// null. It fails if d breaks a rule of Document.
func (d Document) Encode() ([]byte, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	if d.Members == nil {
		d.Members = []string{}
	}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if err := checkSize(text); err != nil {
		return nil, err
	}
	return text, nil
}

func (d Document) validate() error {
	if d.Version < 1 {
		return fmt.Errorf("%w: version %d, where a positive number is needed", ErrMalformed, d.Version)
	}
	last := -1
	for _, name := range d.Members {
		ordinal, err := Ordinal(name)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		if !isLabel(name) {
			return fmt.Errorf("%w: member %q is not a DNS label: up to %d of a-z, 0-9 and hyphens, no hyphen first",
				ErrMalformed, name, maxName)
		}
		if ordinal <= last {
			return fmt.Errorf("%w: member %q does not come in numeric order behind ordinal %d", ErrMalformed, name, last)
		}
		last = ordinal
	}
	return nil
}

// isLabel tells whether a name that ends in an ordinal is a DNS label. Clients put members into
// host names, so nothing else may pass.
func isLabel(name string) bool {
	return len(name) <= maxName && name[0] != '-' && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func checkSize(text []byte) error {
	if len(text) > MaxDocumentBytes {
		return fmt.Errorf("%w: %d bytes, where at most %d are allowed", ErrMalformed, len(text), MaxDocumentBytes)
	}
	return nil
}

// Package ring is the member list that clients route by: its document, its order, and the
// routing function jump-xxh64-v1.
//
// Its law: the same members give the same bytes, in numeric order of their ordinals, and the
// same key on the same bytes gives the same member in every language. The package knows nothing
// of Kubernetes; a member is a name that ends in a hyphen and its ordinal.
package ring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Document is a published ring. Version is positive and grows whenever the members change;
// Members are in numeric order of their ordinals, without duplicates.
type Document struct {
	Version int64    `json:"version"`
	Members []string `json:"members"`
}

// MaxDocumentBytes bounds what Decode accepts: a thousand members of the longest name take less.
const MaxDocumentBytes = 128 << 10

// ErrMalformed is wrapped by every error of Decode.
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
	return json.Marshal(d)
}

// Decode reads a document. Unknown fields are ignored, so that a later version of the format can
// add some; anything else that breaks a rule of Document is an error that wraps ErrMalformed.
func Decode(data []byte) (Document, error) {
	if len(data) > MaxDocumentBytes {
		return Document{}, fmt.Errorf("%w: %d bytes, more than %d", ErrMalformed, len(data), MaxDocumentBytes)
	}
	var raw struct {
		Version *int64    `json:"version"`
		Members *[]string `json:"members"`
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	if err := decoder.Decode(&raw); err != nil {
		return Document{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if decoder.More() {
		return Document{}, fmt.Errorf("%w: text after the document", ErrMalformed)
	}
	if raw.Version == nil || raw.Members == nil {
		return Document{}, fmt.Errorf("%w: version and members are required", ErrMalformed)
	}
	d := Document{Version: *raw.Version, Members: *raw.Members}
	return d, d.validate()
}

func (d Document) validate() error {
	if d.Version < 1 {
		return fmt.Errorf("%w: version %d is not positive", ErrMalformed, d.Version)
	}
	last := -1
	for _, name := range d.Members {
		ordinal, err := Ordinal(name)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		if ordinal <= last {
			return fmt.Errorf("%w: member %q is out of numeric order", ErrMalformed, name)
		}
		last = ordinal
	}
	return nil
}

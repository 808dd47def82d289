package ring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxDepth bounds the nesting of arrays and objects in a document's text, the outermost object
// included. Without a bound of ours each parser would have its own.
const maxDepth = 32

// Decode reads the text of a document. Unknown fields are ignored, so that a later version of the
// format can add some; anything else that breaks a rule of docs/routing.md is an error that wraps
// ErrMalformed.
//
// It reads field by field, since encoding/json by itself would take "Version" for "version", the
// last of two equal names, and broken UTF-8, where parsers of other languages do something else.
func Decode(text []byte) (Document, error) {
	if err := checkText(text); err != nil {
		return Document{}, err
	}
	fields, err := topFields(text, "version", "members")
	if err != nil {
		return Document{}, err
	}
	var d Document
	version := string(fields["version"])
	if d.Version, err = strconv.ParseInt(version, 10, 64); err != nil {
		return Document{}, fmt.Errorf("%w: version %.40q, where whole digits of 64 bits are needed", ErrMalformed, version)
	}
	members := fields["members"]
	if members[0] != '[' {
		return Document{}, fmt.Errorf("%w: members %.40q, where a list is needed", ErrMalformed, members)
	}
	if err := json.Unmarshal(members, &d.Members); err != nil {
		return Document{}, fmt.Errorf("%w: members: %w", ErrMalformed, err)
	}
	if err := d.validate(); err != nil {
		return Document{}, err
	}
	return d, nil
}

func checkText(text []byte) error {
	if err := checkSize(text); err != nil {
		return err
	}
	switch {
	case !utf8.Valid(text):
		return fmt.Errorf("%w: it is not UTF-8", ErrMalformed)
	case !json.Valid(text):
		return fmt.Errorf("%w: it is not one JSON text", ErrMalformed)
	case depth(text) > maxDepth:
		return fmt.Errorf("%w: nested deeper than %d", ErrMalformed, maxDepth)
	}
	return nil
}

// topFields finds the named fields of the outermost object; each must be there once.
func topFields(text []byte, names ...string) (map[string]json.RawMessage, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("%w: it is not an object", ErrMalformed)
	}
	fields, seen := map[string]json.RawMessage{}, map[string]int{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		if name, ok := name.(string); ok {
			fields[name] = value
			seen[name]++
		}
	}
	for _, name := range names {
		if seen[name] != 1 {
			return nil, fmt.Errorf("%w: field %q occurs %d times, where once is needed", ErrMalformed, name, seen[name])
		}
	}
	return fields, nil
}

// depth is how deep a valid JSON text is nested.
func depth(text []byte) int {
	deepest, open, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			open++
			deepest = max(deepest, open)
		case c == '}' || c == ']':
			open--
		}
	}
	return deepest
}

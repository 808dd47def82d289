package plan

import (
	"encoding/json"
	"fmt"
	"time"
)

// entry is a drain in the ledger's document.
type entry struct {
	Ordinal int    `json:"ordinal"`
	Since   string `json:"since,omitempty"`
}

// Encode gives the ledger's document, empty for an empty ledger. Times that are not pinned are
// left out.
func (l Ledger) Encode() (string, error) {
	if len(l) == 0 {
		return "", nil
	}
	var entries []entry
	for _, d := range l {
		e := entry{Ordinal: d.Ordinal}
		if d.Pinned {
			e.Since = d.Since.UTC().Format(time.RFC3339)
		}
		entries = append(entries, e)
	}
	data, err := json.Marshal(entries)
	return string(data), err
}

// DecodeLedger reads a document of Encode. Entries without a time are as old as written.
func DecodeLedger(document string, written time.Time) (Ledger, error) {
	if document == "" {
		return nil, nil
	}
	var entries []entry
	if err := json.Unmarshal([]byte(document), &entries); err != nil {
		return nil, fmt.Errorf("drain ledger: %w", err)
	}
	var ledger Ledger
	for _, e := range entries {
		d := Drain{Ordinal: e.Ordinal, Since: written}
		if e.Since != "" {
			at, err := time.Parse(time.RFC3339, e.Since)
			if err != nil {
				return nil, fmt.Errorf("drain ledger: ordinal %d: %w", e.Ordinal, err)
			}
			d.Since, d.Pinned = at, true
		}
		ledger = append(ledger, d)
	}
	return ledger, nil
}

package crfile

import "fmt"

// Position is where in which file an object stands.
type Position struct {
	File string
	// Document counts from 1; documents without contents do not count.
	Document int
	// Line is the document's first, counted from 1.
	Line int
	// Item counts from 1 in a document that is a list; 0 in others.
	Item int
}

// String is the position as file:line, with the document, and the item of a list.
func (p Position) String() string {
	switch {
	case p.Document == 0:
		return p.File
	case p.Item == 0:
		return fmt.Sprintf("%s:%d (document %d)", p.File, p.Line, p.Document)
	default:
		return fmt.Sprintf("%s:%d (document %d, item %d)", p.File, p.Line, p.Document, p.Item)
	}
}

// Error is what is wrong with one object of a file.
type Error struct {
	Position
	Err error
}

// Error names the position, and says what is wrong in the API server's words.
func (e *Error) Error() string { return e.String() + ": " + e.Err.Error() }

// Unwrap is what is wrong; an API status error where the API server would give one.
func (e *Error) Unwrap() error { return e.Err }

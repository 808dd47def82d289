package ring

import "fmt"

// Published is a ring together with the cache object whose ring it is.
type Published struct {
	// Owner is the UID of the cache object. Versions are comparable only between rings of one
	// owner.
	Owner string
	Ring  Document
}

// ReadPublished reads what is published: the UID and the document's text beside it. Without a UID
// nobody could tell a recreated cache's ring from an older one, so that is malformed too.
func ReadPublished(owner string, text []byte) (Published, error) {
	if owner == "" {
		return Published{}, fmt.Errorf("%w: no owner's UID beside it", ErrMalformed)
	}
	document, err := Decode(text)
	if err != nil {
		return Published{}, err
	}
	return Published{Owner: owner, Ring: document}, nil
}

// Supersedes tells whether a client that routes by other must go over to p when it sees p: p is
// another owner's, or newer. Every ring supersedes the zero Published.
func (p Published) Supersedes(other Published) bool {
	return p.Owner != other.Owner || p.Ring.Version > other.Ring.Version
}

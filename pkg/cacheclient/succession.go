package cacheclient

import (
	"fmt"
	"slices"
)

// supersedes says why next may not replace the present ring: versions of one owner only grow, and
// those of different owners are not comparable. The later owner is the one that is seen later.
func supersedes(next, present Snapshot) error {
	if !next.Supersedes(present) {
		return fmt.Errorf("version %d of the ring is not above the present %d: it stays", next.Ring.Version, present.Ring.Version)
	}
	return nil
}

// same tells a ring that was seen once more.
func same(a, b Snapshot) bool {
	return a.Owner == b.Owner && a.Ring.Version == b.Ring.Version && slices.Equal(a.Ring.Members, b.Ring.Members)
}

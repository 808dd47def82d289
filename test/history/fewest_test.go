//go:build integration

package history

import (
	"testing"
	"time"
)

func TestFewest(t *testing.T) {
	// Two pods that serve, and a ring at the fifth second.
	for _, tc := range []struct {
		name             string
		story            *story
		members, serving int
	}{
		{"all there", two().wait(), 2, 2},
		{"one away and back", two().pod("a-1", false, "").version(2, "a-0").pod("a-1", true, "").version(3, "a-0", "a-1"), 1, 1},
		{"both away", two().pod("a-1", false, "").end(newPod("a-0")), 2, 0},
		{"no ring", two().lost(), 0, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			members, serving := Fewest(tc.story.events, time.Unix(4, 0))
			if members != tc.members || serving != tc.serving {
				t.Errorf("%d members and %d serving, want %d and %d", members, serving, tc.members, tc.serving)
			}
		})
	}
}

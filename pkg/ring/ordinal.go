package ring

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// MaxOrdinal bounds the ordinal of a member, and with it the slots of a router.
const MaxOrdinal = 9999

// Ordinal is the number at the end of a member's name, behind its last hyphen: 10 for
// "orders-cache-10". It fails for a name without one, with a sign, with a leading zero (two
// names would have one ordinal) or above MaxOrdinal.
func Ordinal(name string) (int, error) {
	cut := strings.LastIndexByte(name, '-')
	if cut < 1 {
		return 0, fmt.Errorf("member %q does not end in -<ordinal>", name)
	}
	digits := name[cut+1:]
	if digits == "" || (len(digits) > 1 && digits[0] == '0') || strings.Trim(digits, "0123456789") != "" {
		return 0, fmt.Errorf("member %q does not end in -<ordinal>", name)
	}
	ordinal, err := strconv.Atoi(digits)
	if err != nil || ordinal > MaxOrdinal {
		return 0, fmt.Errorf("member %q has an ordinal above %d", name, MaxOrdinal)
	}
	return ordinal, nil
}

// Sort puts members in numeric order of their ordinals; names without one come last, in order
// of their text.
func Sort(members []string) {
	slices.SortFunc(members, func(a, b string) int {
		i, errA := Ordinal(a)
		j, errB := Ordinal(b)
		switch {
		case errA != nil && errB != nil:
			return strings.Compare(a, b)
		case errA != nil:
			return 1
		case errB != nil:
			return -1
		default:
			return cmp.Compare(i, j)
		}
	})
}

package ring

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Router maps keys to the members of one ring by jump-xxh64-v1:
//
//	h = XXH64(key, seed 0); slots = highest ordinal + 1
//	MaxProbes times: the member whose ordinal is jump(h, slots), if there is one; else h = Mix(h)
//	then: the member at position jump(h, number of members) of the list
//
// Without gaps in the ordinals this is jump hash over the ordered list. Of that list's keys, gaps
// move only those of the missing members. A Router is immutable and safe for concurrent use.
type Router struct {
	members []string
	// slots has the member of each ordinal, and "" where there is none.
	slots []string
}

// MaxProbes is how many slots are tried before the compact list decides.
const MaxProbes = 32

// NewRouter makes the router of a valid document's members.
func NewRouter(members []string) (*Router, error) {
	if err := (Document{Version: 1, Members: members}).validate(); err != nil {
		return nil, err
	}
	r := &Router{members: slices.Clone(members)}
	for _, name := range members {
		ordinal, err := Ordinal(name)
		if err != nil {
			return nil, err
		}
		r.slots = append(r.slots, make([]string, ordinal+1-len(r.slots))...)
		r.slots[ordinal] = name
	}
	return r, nil
}

// Members are the ring's members in order. The caller must not change them.
func (r *Router) Members() []string { return r.members }

// Locate is the owner of key, and false if the ring is empty. It does not allocate.
func (r *Router) Locate(key []byte) (string, bool) { return r.locate(xxhash.Sum64(key)) }

// LocateString is Locate for a string.
func (r *Router) LocateString(key string) (string, bool) { return r.locate(xxhash.Sum64String(key)) }

func (r *Router) locate(h uint64) (string, bool) {
	if len(r.slots) == 0 {
		return "", false
	}
	for range MaxProbes {
		if name := r.slots[jump(h, len(r.slots))]; name != "" {
			return name, true
		}
		h = Mix(h)
	}
	return r.members[jump(h, len(r.members))], true
}

// Mix gives the next hash to try after a gap: one step of SplitMix64 (Steele, Lea and Flood,
// "Fast Splittable Pseudorandom Number Generators", 2014) with h as its state.
func Mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9
	h = (h ^ (h >> 27)) * 0x94d049bb133111eb
	return h ^ (h >> 31)
}

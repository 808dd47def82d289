package network

import (
	"net/netip"
	"testing"
)

func TestFirstFree(t *testing.T) {
	all := map[string]bool{}
	for n := range MaxInstances {
		all[Plan{Number: n}.HostLink()] = true
	}
	tests := map[string]struct {
		used  []string
		links map[string]bool
		want  int
		full  bool
	}{
		"an empty machine gives the first":      {want: 0},
		"a link of another instance is skipped": {links: map[string]bool{"lk0h": true, "lk1h": true}, want: 2},
		"a gap is filled":                       {links: map[string]bool{"lk0h": true, "lk2h": true}, want: 1},
		"an address in use is skipped":          {used: []string{"172.30.0.1/32"}, want: 1},
		"a network that covers some is skipped": {used: []string{"172.30.0.0/22"}, want: 4},
		"unrelated networks do not matter":      {used: []string{"10.0.0.0/8", "172.31.0.0/16", "192.168.1.0/24"}, want: 0},
		"a network that covers all leaves none": {used: []string{"172.30.0.0/16"}, full: true},
		"so do links of all numbers":            {links: all, full: true},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			var used []netip.Prefix
			for _, u := range tt.used {
				used = append(used, netip.MustParsePrefix(u))
			}
			plan, ok := firstFree(used, tt.links)
			if ok == tt.full || plan.Number != tt.want {
				t.Errorf("got %d, %t; want %d, %t", plan.Number, ok, tt.want, !tt.full)
			}
		})
	}
}

func TestPlansDoNotOverlap(t *testing.T) {
	var before []netip.Prefix
	for n := range MaxInstances {
		p := Plan{Number: n}
		if overlaps(p.NodeAddress(), before) {
			t.Fatalf("number %d overlaps an earlier one", n)
		}
		if p.HostAddress().Masked() != p.NodeAddress().Masked() || p.HostAddress() == p.NodeAddress() {
			t.Fatalf("number %d: the ends %s and %s do not share a network", n, p.HostAddress(), p.NodeAddress())
		}
		before = append(before, p.NodeAddress().Masked())
	}
}

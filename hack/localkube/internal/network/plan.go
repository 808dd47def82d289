// Package network gives each instance its own small network: a veth pair between the host and
// the node's network namespace, numbered so that several instances live side by side. What is
// in the namespace needs no cleaning: it goes with the namespace, and the host's end of the
// pair with it.
package network

import (
	"fmt"
	"net/netip"
)

// Fixed address plan of every node. They exist inside its namespace only, so all instances
// use the same.
const (
	ServiceCIDR = "10.96.0.0/16"
	PodCIDR     = "10.244.0.0/16"
	// NodePodCIDR is the part of PodCIDR that the real node hands out.
	NodePodCIDR = "10.244.0.0/24"
	// APIServiceIP is the first address of ServiceCIDR, which the API server takes.
	APIServiceIP = "10.96.0.1"
)

// MaxInstances bounds the numbers of instances on one machine.
const MaxInstances = 64

// Plan is the link of one instance.
type Plan struct{ Number int }

// HostLink is the name of the host's end.
func (p Plan) HostLink() string { return fmt.Sprintf("lk%dh", p.Number) }

// NodeLink is the name of the node's end.
func (p Plan) NodeLink() string { return fmt.Sprintf("lk%dn", p.Number) }

// HostAddress is the host's end of the link's network.
func (p Plan) HostAddress() netip.Prefix { return p.prefix(1) }

// NodeAddress is the node's end; the API server and the DNS server listen there.
func (p Plan) NodeAddress() netip.Prefix { return p.prefix(2) }

func (p Plan) prefix(last byte) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 30, byte(p.Number), last}), 30)
}

// firstFree is the lowest number whose network overlaps no prefix in use and whose link name
// is not taken; ok is false if there is none.
func firstFree(used []netip.Prefix, links map[string]bool) (Plan, bool) {
	for n := range MaxInstances {
		p := Plan{Number: n}
		if links[p.HostLink()] || overlaps(p.HostAddress(), used) {
			continue
		}
		return p, true
	}
	return Plan{}, false
}

func overlaps(want netip.Prefix, used []netip.Prefix) bool {
	for _, u := range used {
		if u.Overlaps(want) {
			return true
		}
	}
	return false
}

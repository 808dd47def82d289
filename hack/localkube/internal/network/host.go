package network

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"github.com/vishvananda/netlink"
)

// Connect creates the veth pair of a new instance, its far end born inside the network
// namespace of process pid, and picks the first free number for it. The kernel refuses a
// second link of the same name, which settles a race between two instances. It also returns
// the index of the host's end.
func Connect(pid int) (Plan, int, error) {
	used, links, err := occupied()
	if err != nil {
		return Plan{}, 0, err
	}
	for {
		plan, ok := firstFree(used, links)
		if !ok {
			return Plan{}, 0, fmt.Errorf("none of the %d networks 172.30.N.0/30 is free: end another instance with `localkube down --name NAME`, or see `ip -4 addr` and `ip -4 route`", MaxInstances)
		}
		index, err := connect(plan, pid)
		if err == nil {
			return plan, index, nil
		}
		if !errors.Is(err, syscall.EEXIST) {
			return Plan{}, 0, err
		}
		links[plan.HostLink()] = true
	}
}

func connect(plan Plan, pid int) (int, error) {
	pair := &netlink.Veth{
		LinkAttrs:     netlink.LinkAttrs{Name: plan.HostLink()},
		PeerName:      plan.NodeLink(),
		PeerNamespace: netlink.NsPid(pid),
	}
	if err := netlink.LinkAdd(pair); err != nil {
		return 0, fmt.Errorf("create the link %s: %w", plan.HostLink(), err)
	}
	if err := configure(plan.HostLink(), plan.HostAddress()); err != nil {
		return 0, errors.Join(err, netlink.LinkDel(pair))
	}
	link, err := netlink.LinkByName(plan.HostLink())
	if err != nil {
		return 0, fmt.Errorf("find the link %s: %w", plan.HostLink(), err)
	}
	return link.Attrs().Index, nil
}

// Disconnect deletes the host's end of a pair, if it is still there. The kernel does the same
// when the last process of the namespace is gone, but in its own time.
func Disconnect(name string, index int) error {
	link, err := netlink.LinkByIndex(index)
	if err != nil || link.Attrs().Name != name {
		return nil //nolint:nilerr // gone, or never ours
	}
	if err := netlink.LinkDel(link); err != nil && !errors.Is(err, syscall.ENODEV) && !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("delete the link %s: %w", name, err)
	}
	return nil
}

func configure(name string, address netip.Prefix) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return fmt.Errorf("find the link %s: %w", name, err)
	}
	if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: ipNet(address)}); err != nil {
		return fmt.Errorf("give %s the address %s: %w", name, address, err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("set %s up: %w", name, err)
	}
	return nil
}

// occupied lists the addresses and routes of the host, and its link names.
func occupied() ([]netip.Prefix, map[string]bool, error) {
	var used []netip.Prefix
	routes, err := netlink.RouteList(nil, netlink.FAMILY_V4)
	if err != nil {
		return nil, nil, fmt.Errorf("list the host's routes: %w", err)
	}
	for _, r := range routes {
		// A route to everywhere, or to all private addresses, does not occupy ours.
		if p, ok := prefixOf(r.Dst); ok && p.Bits() >= 16 {
			used = append(used, p)
		}
	}
	list, err := netlink.LinkList()
	if err != nil {
		return nil, nil, fmt.Errorf("list the host's links: %w", err)
	}
	links := map[string]bool{}
	for _, l := range list {
		links[l.Attrs().Name] = true
	}
	return used, links, nil
}

func prefixOf(n *net.IPNet) (netip.Prefix, bool) {
	if n == nil {
		return netip.Prefix{}, false
	}
	addr, ok := netip.AddrFromSlice(n.IP)
	ones, bits := n.Mask.Size()
	if !ok || bits != 32 {
		return netip.Prefix{}, false
	}
	return netip.PrefixFrom(addr.Unmap(), ones), true
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), 32)}
}

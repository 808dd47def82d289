package network

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"

	"github.com/vishvananda/netlink"
)

// forwarding is set inside the node's namespace; each of these exists once per namespace.
var forwarding = map[string]string{
	"/proc/sys/net/ipv4/ip_forward": "1",
	// Traffic between two pods crosses only the bridge; iptables must see it all the same.
	"/proc/sys/net/bridge/bridge-nf-call-iptables": "1",
}

// ConfigureNode sets up the calling process's network namespace as a node's.
func ConfigureNode(link, address, serviceCIDR string) error {
	prefix, err := netip.ParsePrefix(address)
	if err != nil {
		return fmt.Errorf("address of the node: %w", err)
	}
	services, err := netip.ParsePrefix(serviceCIDR)
	if err != nil {
		return fmt.Errorf("service network: %w", err)
	}
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return fmt.Errorf("find lo: %w", err)
	}
	if err := netlink.LinkSetUp(lo); err != nil {
		return fmt.Errorf("set lo up: %w", err)
	}
	if err := configure(link, prefix); err != nil {
		return err
	}
	dev, err := netlink.LinkByName(link)
	if err != nil {
		return fmt.Errorf("find the link %s: %w", link, err)
	}
	// Without a route the kernel drops a packet to a service before DNAT could see it.
	route := &netlink.Route{LinkIndex: dev.Attrs().Index, Dst: ipNet(services), Scope: netlink.SCOPE_LINK}
	if err := netlink.RouteAdd(route); err != nil {
		return fmt.Errorf("route %s: %w", serviceCIDR, err)
	}
	for path, value := range forwarding {
		err := os.WriteFile(path, []byte(value), 0o644)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("set %s: %w", path, err)
		}
	}
	return nil
}

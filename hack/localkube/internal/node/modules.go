package node

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// bridgeSettings exist once the kernel shows bridged packets to iptables.
const bridgeSettings = "/proc/sys/net/bridge"

// LoadModules asks the kernel for what pods on one bridge need to be kept apart. A module is
// the one thing that stays after `down`: someone else may use it by then.
func LoadModules(ctx context.Context, out io.Writer) {
	if _, err := os.Stat(bridgeSettings); err == nil {
		return
	}
	if err := exec.CommandContext(ctx, "modprobe", "br_netfilter").Run(); err != nil {
		_, _ = fmt.Fprintf(out, "warning: no kernel module br_netfilter (%v): network policies and services won't hold between pods of this node\n", err)
		return
	}
	_, _ = fmt.Fprintln(out, "loaded the kernel module br_netfilter (it stays)")
}

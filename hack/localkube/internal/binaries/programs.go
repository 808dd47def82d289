// Package binaries brings the programs of a cluster: as given, from official releases, or built
// from the modules pinned under components/. Whatever the way, a program appears in the cache
// whole or not at all, and never with a checksum other than its publisher's.
package binaries

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// program is one executable and where it may come from.
type program struct {
	name string
	// component is the directory under components/ whose module pins it.
	component string
	// module is the one whose pinned version is the program's.
	module string
	// pkg is what to build inside the component's module.
	pkg     string
	release func(name, version string) release
}

// release is an official download.
type release struct {
	url string
	// sums is the publisher's checksum file: one bare sum, or lines of "sum  file".
	sums string
	// member is the path inside an archive; empty when url is the program itself.
	member string
}

const kubernetesModule = "k8s.io/kubernetes"

// programs in the order of building: the first pays for most of what the others share.
var programs = []program{
	kubernetes("kube-apiserver"),
	kubernetes("kube-controller-manager"),
	kubernetes("kube-scheduler"),
	kubernetes("kubelet"),
	kubernetes("kube-proxy"),
	kubernetes("kubectl"),
	{name: "etcd", component: "etcd", module: "go.etcd.io/etcd/server/v3", pkg: "go.etcd.io/etcd/server/v3", release: etcdRelease},
	containerd("containerd"),
	containerd("containerd-shim-runc-v2"),
	containerd("ctr"),
	{name: "coredns", component: "coredns", module: "github.com/coredns/coredns", pkg: ".", release: corednsRelease},
	{name: "kwok", component: "kwok", module: "sigs.k8s.io/kwok", pkg: "sigs.k8s.io/kwok/cmd/kwok"},
	{
		name: "kube-router", component: "kube-router", module: "github.com/cloudnativelabs/kube-router/v2",
		pkg: "github.com/cloudnativelabs/kube-router/v2/cmd/kube-router",
	},
	{name: Pause, component: "../pause", pkg: "."},
}

// Pause is the program in the pause image; it is built beside the others.
const Pause = "pause"

func kubernetes(name string) program {
	return program{
		name: name, component: "kubernetes", module: kubernetesModule, pkg: kubernetesModule + "/cmd/" + name,
		release: func(name, version string) release {
			url := "https://dl.k8s.io/release/" + version + "/bin/linux/" + runtime.GOARCH + "/" + name
			return release{url: url, sums: url + ".sha256"}
		},
	}
}

func containerd(name string) program {
	const module = "github.com/containerd/containerd/v2"
	return program{
		name: name, component: "containerd", module: module, pkg: module + "/cmd/" + name,
		release: func(name, version string) release {
			url := fmt.Sprintf("https://github.com/containerd/containerd/releases/download/%s/containerd-static-%s-linux-%s.tar.gz",
				version, strings.TrimPrefix(version, "v"), runtime.GOARCH)
			return release{url: url, sums: url + ".sha256sum", member: "bin/" + name}
		},
	}
}

func etcdRelease(name, version string) release {
	base := "https://github.com/etcd-io/etcd/releases/download/" + version + "/"
	dir := "etcd-" + version + "-linux-" + runtime.GOARCH
	return release{url: base + dir + ".tar.gz", sums: base + "SHA256SUMS", member: dir + "/" + name}
}

func corednsRelease(name, version string) release {
	url := fmt.Sprintf("https://github.com/coredns/coredns/releases/download/%s/coredns_%s_linux_%s.tgz",
		version, strings.TrimPrefix(version, "v"), runtime.GOARCH)
	return release{url: url, sums: url + ".sha256", member: name}
}

// Names lists all programs.
func Names() []string {
	out := make([]string, 0, len(programs))
	for _, p := range programs {
		out = append(out, p.name)
	}
	return out
}

// Known reports whether there is a program of that name.
func Known(name string) bool {
	return slices.Contains(Names(), name)
}

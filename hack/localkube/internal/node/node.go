// Package node knows how a real node is told to run: containerd, kubelet, kube-proxy, the
// cluster's DNS and the enforcer of network policies. It writes their files and hands out what
// to start; it starts nothing and touches nothing outside the state directory.
package node

import (
	"embed"
	"fmt"
	"net"
	"os"
	"strconv"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/kubeconfig"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/network"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/pki"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/supervisor"
)

// Name is the real node's name in the cluster.
const Name = "localkube"

// Names of the components, which are also the names of their programs.
const (
	Containerd = "containerd"
	Kubelet    = "kubelet"
	KubeProxy  = "kube-proxy"
	CoreDNS    = "coredns"
	KubeRouter = "kube-router"
)

// Shim and Ctr are programs that belong to containerd.
const (
	Shim = "containerd-shim-runc-v2"
	Ctr  = "ctr"
)

// Manifests are the objects that a node's components need: their rights, and the Node itself.
//
//go:embed manifests/*.yaml
var Manifests embed.FS

// Options describe one node.
type Options struct {
	Dir   instance.Dir
	Store *pki.Store
	// Programs gives the path of each component's program.
	Programs map[string]string
	// Address is the node's, and the DNS server's.
	Address string
	// Server is the URL of the API server.
	Server string
}

// Prepare writes the files that the components read.
func Prepare(o Options) error {
	for _, dir := range []string{"conf/cni", "kubelet", "kubelet-plugins"} {
		if err := os.MkdirAll(o.Dir.Join(dir), 0o755); err != nil {
			return fmt.Errorf("create the node's directories: %w", err)
		}
	}
	kubelet, err := kubeletConfig(o)
	if err != nil {
		return err
	}
	containerd, err := containerdConfig(o)
	if err != nil {
		return err
	}
	cni, err := cniConfig(o)
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"kubelet.yaml":         kubelet,
		"containerd.toml":      containerd,
		"cni/10-pods.conflist": cni,
		"Corefile":             corefile(o),
	} {
		if err := os.WriteFile(o.conf(name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write the node's configuration: %w", err)
		}
	}
	for _, client := range []string{pki.Kubelet, pki.KubeProxy, pki.CoreDNS, pki.KubeRouter} {
		if err := kubeconfig.Write(o.kubeconfig(client), "localkube", o.Server, o.Store, client); err != nil {
			return err
		}
	}
	return linkShim(o)
}

// linkShim puts the shim where containerd looks for it, which is the PATH.
func linkShim(o Options) error {
	if err := os.Symlink(o.Programs[Shim], o.Dir.Join("bin", Shim)); err != nil {
		return fmt.Errorf("link %s: %w", Shim, err)
	}
	return nil
}

func (o Options) conf(name string) string         { return o.Dir.Join("conf", name) }
func (o Options) kubeconfig(client string) string { return o.conf(client + ".kubeconfig") }

// Runtime is what runs containers; it needs no API server.
func Runtime(o Options) supervisor.Spec {
	return o.spec(Containerd, "--config="+o.conf("containerd.toml"))
}

const enforcerHealthPort = 20244

// Enforcer is the enforcer of network policies. It ends at once unless the node has registered
// with its address.
func Enforcer(o Options) supervisor.Spec {
	router := o.spec(KubeRouter,
		"--kubeconfig="+o.kubeconfig(pki.KubeRouter),
		"--hostname-override="+Name,
		"--run-firewall=true",
		"--run-router=false",
		"--run-service-proxy=false",
		"--run-loadbalancer=false",
		"--enable-cni=false",
		"--service-cluster-ip-range="+network.ServiceCIDR,
		"--health-port="+strconv.Itoa(enforcerHealthPort),
	)
	router.Env = []string{"NODE_NAME=" + Name}
	return router
}

// EnforcerHealth is where the enforcer says that it works.
func EnforcerHealth(address string) string {
	return "http://" + net.JoinHostPort(address, strconv.Itoa(enforcerHealthPort)) + "/healthz"
}

// Agents are the components that need an API server, in the order of their start.
func Agents(o Options) []supervisor.Spec {
	return []supervisor.Spec{
		o.spec(Kubelet,
			"--config="+o.conf("kubelet.yaml"),
			"--kubeconfig="+o.kubeconfig(pki.Kubelet),
			"--root-dir="+o.Dir.Join("kubelet"),
			"--hostname-override="+Name,
			"--node-ip="+o.Address,
		),
		o.spec(KubeProxy,
			"--kubeconfig="+o.kubeconfig(pki.KubeProxy),
			"--hostname-override="+Name,
			"--proxy-mode=iptables",
			"--cluster-cidr="+network.PodCIDR,
			// The table of connections is the whole machine's; its size is not ours to set.
			"--conntrack-max-per-core=0",
			"--healthz-bind-address=127.0.0.1:10256",
			"--metrics-bind-address=127.0.0.1:10249",
		),
		o.spec(CoreDNS, "-conf="+o.conf("Corefile")),
	}
}

func (o Options) spec(name string, args ...string) supervisor.Spec {
	return supervisor.Spec{Name: name, Path: o.Programs[name], Args: args}
}

// corefile answers for the cluster's domain only: there is no way out of the node's network.
func corefile(o Options) string {
	return fmt.Sprintf(`.:53 {
	bind %s
	errors
	ready 127.0.0.1:8181
	cache 5
	kubernetes cluster.local in-addr.arpa {
		kubeconfig %s
		pods insecure
		ttl 5
	}
}
`, o.Address, o.kubeconfig(pki.CoreDNS))
}

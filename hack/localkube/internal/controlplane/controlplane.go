// Package controlplane knows how etcd, the API server, the controller manager and the scheduler
// are told to run. It writes their files and hands out what to start; it starts nothing.
package controlplane

import (
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

// Names of the components, which are also the names of their programs.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
)

// Components in the order of their start.
var Components = []string{Etcd, APIServer, ControllerManager, Scheduler}

// Options describe one control plane.
type Options struct {
	Dir   instance.Dir
	Store *pki.Store
	// Programs gives the path of each component's program.
	Programs map[string]string
	// Address is where clients find the API server.
	Address string
	Ports   Ports
	// Bind is the address that the API server listens on; it includes Address.
	Bind string
	// Loopback is set when the API server has no address but 127.0.0.1, which the cluster's own
	// `kubernetes` service may not carry.
	Loopback bool
}

// Ports of one control plane.
type Ports struct{ APIServer, Etcd, EtcdPeer, ControllerManager, Scheduler int }

// FixedPorts are for a control plane with a network namespace to itself.
func FixedPorts() Ports {
	return Ports{APIServer: 6443, Etcd: 2379, EtcdPeer: 2380, ControllerManager: 10257, Scheduler: 10259}
}

// FreePorts picks ports that nobody listens on. They are held open until all are chosen, so
// that no two are the same.
func FreePorts() (Ports, error) {
	var p Ports
	for _, port := range []*int{&p.APIServer, &p.Etcd, &p.EtcdPeer, &p.ControllerManager, &p.Scheduler} {
		l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // does not wait
		if err != nil {
			return Ports{}, fmt.Errorf("find a free port: %w", err)
		}
		defer func() { _ = l.Close() }()
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return p, nil
}

// Server is the URL of the API server.
func (o Options) Server() string {
	return "https://" + net.JoinHostPort(o.Address, strconv.Itoa(o.Ports.APIServer))
}

func (o Options) etcdURL() string { return "http://127.0.0.1:" + strconv.Itoa(o.Ports.Etcd) }

// Prepare writes the files that the components read.
func Prepare(o Options) error {
	conf := o.Dir.Join("conf")
	if err := os.MkdirAll(conf, 0o700); err != nil {
		return fmt.Errorf("create the configuration directory: %w", err)
	}
	if err := os.WriteFile(o.auditPolicy(), []byte(auditPolicy), 0o644); err != nil {
		return fmt.Errorf("write the audit policy: %w", err)
	}
	for _, client := range []string{pki.ControllerManager, pki.Scheduler} {
		if err := kubeconfig.Write(o.Kubeconfig(client), "localkube", o.Server(), o.Store, client); err != nil {
			return err
		}
	}
	return kubeconfig.Write(o.Dir.Kubeconfig(), "localkube-"+o.Dir.Name, o.Server(), o.Store, pki.Admin)
}

// Kubeconfig is the file of one of the cluster's own clients.
func (o Options) Kubeconfig(client string) string { return o.Dir.Join("conf", client+".kubeconfig") }

func (o Options) auditPolicy() string { return o.Dir.Join("conf", "audit-policy.yaml") }

// auditPolicy records who asked for what, without bodies: enough to count requests.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`

// Specs lists the components to start, in Components' order.
func Specs(o Options) []supervisor.Spec {
	args := map[string][]string{
		Etcd:              etcdArgs(o),
		APIServer:         apiServerArgs(o),
		ControllerManager: controllerManagerArgs(o),
		Scheduler:         schedulerArgs(o),
	}
	specs := make([]supervisor.Spec, 0, len(Components))
	for _, name := range Components {
		specs = append(specs, supervisor.Spec{Name: name, Path: o.Programs[name], Args: args[name]})
	}
	return specs
}

func etcdArgs(o Options) []string {
	peer := "http://127.0.0.1:" + strconv.Itoa(o.Ports.EtcdPeer)
	return []string{
		"--name=localkube",
		"--data-dir=" + o.Dir.Join("etcd"),
		// The data does not outlive the run, so waiting for the disk would buy nothing.
		"--unsafe-no-fsync",
		"--listen-client-urls=" + o.etcdURL(),
		"--advertise-client-urls=" + o.etcdURL(),
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=localkube=" + peer,
		"--log-level=warn",
	}
}

func apiServerArgs(o Options) []string {
	args := []string{
		"--etcd-servers=" + o.etcdURL(),
		"--bind-address=" + o.Bind,
		"--advertise-address=" + o.Address,
		"--secure-port=" + strconv.Itoa(o.Ports.APIServer),
		"--cert-dir=" + o.Dir.Join("tmp"),
		"--tls-cert-file=" + o.Store.ServingCert(),
		"--tls-private-key-file=" + o.Store.ServingKey(),
		"--client-ca-file=" + o.Store.CA(),
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + o.Store.TokenPublicKey(),
		"--service-account-signing-key-file=" + o.Store.TokenKey(),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--service-cluster-ip-range=" + network.ServiceCIDR,
		// Without these the server can't fetch logs from a kubelet or exec through it.
		"--kubelet-certificate-authority=" + o.Store.CA(),
		"--kubelet-client-certificate=" + o.Store.CertFile(pki.Admin),
		"--kubelet-client-key=" + o.Store.KeyFile(pki.Admin),
		"--kubelet-preferred-address-types=InternalIP",
		// For aggregated APIs; a missing one fills the controller manager's log with complaints.
		"--requestheader-client-ca-file=" + o.Store.CA(),
		"--requestheader-allowed-names=" + pki.FrontProxyName,
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + o.Store.CertFile(pki.FrontProxy),
		"--proxy-client-key-file=" + o.Store.KeyFile(pki.FrontProxy),
		"--audit-policy-file=" + o.auditPolicy(),
		"--audit-log-path=" + o.Dir.AuditLog(),
		"--audit-log-maxsize=200",
		"--audit-log-maxbackup=2",
		"--profiling=false",
	}
	if o.Loopback {
		args = append(args, "--endpoint-reconciler-type=none")
	}
	return args
}

func controllerManagerArgs(o Options) []string {
	return append(clientArgs(o, pki.ControllerManager, o.Ports.ControllerManager),
		"--root-ca-file="+o.Store.CA(),
		"--service-account-private-key-file="+o.Store.TokenKey(),
		"--use-service-account-credentials=true",
		"--service-cluster-ip-range="+network.ServiceCIDR,
		"--cluster-cidr="+network.PodCIDR,
		// Nodes are created with their pod network already in them.
		"--allocate-node-cidrs=false",
		// By default it makes one below /usr/libexec.
		"--flex-volume-plugin-dir="+o.Dir.Join("volume-plugins"),
	)
}

func schedulerArgs(o Options) []string {
	return clientArgs(o, pki.Scheduler, o.Ports.Scheduler)
}

func clientArgs(o Options, client string, port int) []string {
	return []string{
		"--kubeconfig=" + o.Kubeconfig(client),
		"--authentication-kubeconfig=" + o.Kubeconfig(client),
		"--authorization-kubeconfig=" + o.Kubeconfig(client),
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		"--tls-cert-file=" + o.Store.CertFile(client),
		"--tls-private-key-file=" + o.Store.KeyFile(client),
		"--leader-elect=false",
		"--profiling=false",
		// The default of 20 a second alone would delay the start of the controllers by 4 s.
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
	}
}

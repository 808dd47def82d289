package cluster

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/binaries"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/cgroups"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/controlplane"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/fakenode"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/kubeapi"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/network"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/node"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/pki"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/supervisor"
)

// launch is one start of one instance, from nothing to ready.
type launch struct {
	Options
	lock     *instance.Lock
	programs map[string]string
	start    time.Time

	client *supervisor.Client
	plan   network.Plan
	plane  controlplane.Options
	store  *pki.Store
	api    *kubeapi.Client
}

// programs that the mode needs. kubectl is among them always: people and tests want it.
func (o Options) programs() []string {
	names := append([]string{"kubectl"}, controlplane.Components...)
	if o.Mode == instance.ModeReal {
		names = append(names, node.Containerd, node.Shim, node.Ctr, node.Kubelet, node.KubeProxy,
			node.CoreDNS, node.KubeRouter, binaries.Pause)
	}
	if o.KwokNodes > 0 {
		names = append(names, fakenode.Kwok)
	}
	return names
}

func (l *launch) real() bool { return l.Mode == instance.ModeReal }

func (l *launch) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		l.isolate, l.prepare, l.startPlane, l.startNodes, l.await,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// isolate starts the supervisor and gives it its network.
func (l *launch) isolate(ctx context.Context) (err error) {
	if l.client, err = supervisor.Spawn(ctx, l.Dir, l.lock, supervisor.Options{Isolated: l.real(), Restart: l.Restart}); err != nil {
		return err
	}
	if !l.real() {
		return nil
	}
	process, err := l.Dir.LoadSupervisor()
	if err != nil {
		return err
	}
	index := 0
	if l.plan, index, err = network.Connect(process.PID); err != nil {
		return err
	}
	if err := l.Dir.SaveLink(instance.Link{Name: l.plan.HostLink(), Index: index}); err != nil {
		return err
	}
	return l.client.SetUpNetwork(ctx, supervisor.Network{
		Link: l.plan.NodeLink(), Address: l.plan.NodeAddress().String(), ServiceCIDR: network.ServiceCIDR,
	})
}

// prepare writes every file that the components read, and the state.
func (l *launch) prepare(context.Context) (err error) {
	l.plane = controlplane.Options{Dir: l.Dir, Programs: l.programs}
	if l.real() {
		l.plane.Address, l.plane.Bind, l.plane.Ports = l.plan.NodeAddress().Addr().String(), "0.0.0.0", controlplane.FixedPorts()
	} else {
		l.plane.Address, l.plane.Bind, l.plane.Loopback = "127.0.0.1", "127.0.0.1", true
		if l.plane.Ports, err = controlplane.FreePorts(); err != nil {
			return err
		}
	}
	at := pki.Endpoints{NodeName: node.Name, Address: net.ParseIP(l.plane.Address), Service: net.ParseIP(network.APIServiceIP)}
	if l.store, err = pki.Create(l.Dir.Join("pki"), at, time.Now()); err != nil {
		return err
	}
	l.plane.Store = l.store
	if err := controlplane.Prepare(l.plane); err != nil {
		return err
	}
	if l.api, err = kubeapi.New(l.plane.Server(), l.store); err != nil {
		return err
	}
	return l.Dir.SaveState(l.state())
}

func (l *launch) state() instance.State {
	return instance.State{
		Mode: l.Mode, KwokNodes: l.KwokNodes, Started: l.start, Network: l.plan.Number,
		Address: l.plane.Address, Server: l.plane.Server(), Binaries: l.programs,
	}
}

// startPlane starts etcd and the API server, then what cannot live without it.
func (l *launch) startPlane(ctx context.Context) error {
	if l.real() {
		if err := l.startRuntime(ctx); err != nil {
			return err
		}
	}
	specs := controlplane.Specs(l.plane)
	for i, spec := range specs {
		if spec.Name == controlplane.ControllerManager {
			l.say("waiting for the API server at %s", l.plane.Server())
			if err := l.until(ctx, time.Minute, "the API server", l.api.Ready); err != nil {
				return err
			}
			return l.startAll(ctx, specs[i:])
		}
		if err := l.client.Start(ctx, spec); err != nil {
			return err
		}
	}
	return nil
}

// startRuntime starts containerd beside the control plane: neither needs the other.
func (l *launch) startRuntime(ctx context.Context) error {
	if err := cgroups.Create(l.Dir.Cgroup()); err != nil {
		return err
	}
	o := l.nodeOptions()
	if err := node.Prepare(o); err != nil {
		return err
	}
	return l.client.Start(ctx, node.Runtime(o))
}

func (l *launch) nodeOptions() node.Options {
	return node.Options{Dir: l.Dir, Store: l.store, Programs: l.programs, Address: l.plane.Address, Server: l.plane.Server()}
}

func (l *launch) startAll(ctx context.Context, specs []supervisor.Spec) error {
	for _, spec := range specs {
		if err := l.client.Start(ctx, spec); err != nil {
			return err
		}
	}
	return nil
}

// startNodes starts what plays the nodes.
func (l *launch) startNodes(ctx context.Context) error {
	if l.KwokNodes > 0 {
		if err := l.startFakes(ctx); err != nil {
			return err
		}
	}
	if !l.real() {
		return nil
	}
	if err := l.api.ApplyAll(ctx, node.Manifests); err != nil {
		return err
	}
	if err := l.importPause(ctx); err != nil {
		return err
	}
	if err := l.startAll(ctx, node.Agents(l.nodeOptions())); err != nil {
		return err
	}
	if err := l.until(ctx, time.Minute, "the node's registration", l.registered); err != nil {
		return err
	}
	return l.client.Start(ctx, node.Enforcer(l.nodeOptions()))
}

func (l *launch) startFakes(ctx context.Context) error {
	if err := l.api.ApplyAll(ctx, fakenode.Manifests); err != nil {
		return err
	}
	for i := range l.KwokNodes {
		manifest, err := fakenode.Node(i, l.real())
		if err != nil {
			return err
		}
		if err := l.api.Apply(ctx, manifest); err != nil {
			return fmt.Errorf("create fake node %d: %w", i, err)
		}
	}
	spec, err := fakenode.Prepare(l.Dir, l.programs[fakenode.Kwok], l.plane.Server(), l.plane.Address, l.store)
	if err != nil {
		return err
	}
	return l.client.Start(ctx, spec)
}

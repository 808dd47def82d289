package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/binaries"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/image"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/kubeapi"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/node"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/pki"
)

// await waits until the cluster can be used, and records that it was.
func (l *launch) await(ctx context.Context) error {
	if err := l.ready(ctx); err != nil {
		return err
	}
	state := l.state()
	state.Ready = true
	return l.Dir.SaveState(state)
}

// awaitState is for an instance that some other command has launched.
func (l *launch) awaitState(ctx context.Context, state instance.State) (err error) {
	if l.api, err = kubeapi.New(state.Server, pki.Open(l.Dir.Join("pki"))); err != nil {
		return err
	}
	l.plane.Address = state.Address
	return l.ready(ctx)
}

func (l *launch) ready(ctx context.Context) error {
	if err := l.until(ctx, time.Minute, "the API server", l.api.Ready); err != nil {
		return err
	}
	if err := l.until(ctx, time.Minute, "the controller manager", l.serviceAccount); err != nil {
		return err
	}
	if l.KwokNodes > 0 || l.real() {
		if err := l.until(ctx, 2*time.Minute, "the nodes", l.nodesReady); err != nil {
			return err
		}
	}
	if !l.real() {
		return nil
	}
	if err := l.until(ctx, time.Minute, "the cluster's DNS", l.resolves); err != nil {
		return err
	}
	return l.until(ctx, time.Minute, "the enforcer of network policies", l.enforces)
}

// registered reports nil once the real node has told its address.
func (l *launch) registered(ctx context.Context) error {
	nodes, err := l.api.Nodes(ctx)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if n.Name == node.Name && n.Addressed {
			return nil
		}
	}
	return errors.New("the kubelet has not registered the node")
}

func (l *launch) enforces(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, node.EnforcerHealth(l.plane.Address), nil)
	if err != nil {
		return err
	}
	// No proxy: the node is on this machine.
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", resp.Status)
	}
	return nil
}

// serviceAccount exists once the controller manager works; without it no pod can be created.
func (l *launch) serviceAccount(ctx context.Context) error {
	return l.api.Get(ctx, "/api/v1/namespaces/default/serviceaccounts/default", &struct{}{})
}

func (l *launch) nodesReady(ctx context.Context) error {
	nodes, err := l.api.Nodes(ctx)
	if err != nil {
		return err
	}
	want := l.KwokNodes
	if l.real() {
		want++
	}
	if len(nodes) < want {
		return fmt.Errorf("%d of %d nodes are registered", len(nodes), want)
	}
	for _, n := range nodes {
		if !n.Ready {
			return fmt.Errorf("node %s is not ready: %s", n.Name, n.Reason)
		}
	}
	return nil
}

// resolves asks the cluster's DNS server for the one name that always exists.
func (l *launch) resolves(ctx context.Context) error {
	resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, net.JoinHostPort(l.plane.Address, "53"))
	}}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	_, err := resolver.LookupHost(ctx, "kubernetes.default.svc.cluster.local.")
	return err
}

// importPause waits for containerd on the way.
func (l *launch) importPause(ctx context.Context) error {
	var archive bytes.Buffer
	err := image.Write(image.Options{Ref: node.PauseImage, Binary: l.programs[binaries.Pause], User: image.DefaultUser}, &archive)
	if err != nil {
		return err
	}
	importer := image.Importer{Ctr: l.programs[node.Ctr], Socket: l.Dir.ContainerdSocket()}
	return l.until(ctx, 30*time.Second, "containerd", func(ctx context.Context) error {
		if _, err := os.Stat(importer.Socket); err != nil {
			return err
		}
		_, err := importer.Import(ctx, bytes.NewReader(archive.Bytes()))
		return err
	})
}

// until tries a check until it holds. It gives up at once when a component has died, because
// nobody restarts it, and says every ten seconds what it waits for.
func (l *launch) until(ctx context.Context, limit time.Duration, what string, check func(context.Context) error) error {
	start, said := time.Now(), time.Now()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		if dead := l.dead(ctx); dead != nil {
			return dead
		}
		if time.Since(start) > limit {
			return fmt.Errorf("%s not ready after %s: %w (logs: %s)", what, limit, err, l.Dir.Join("logs"))
		}
		if time.Since(said) >= 10*time.Second {
			said = time.Now()
			l.say("still waiting for %s after %s: %v", what, time.Since(start).Round(time.Second), err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("interrupted while waiting for %s: %w", what, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// dead names the first component that has ended, with its last words.
func (l *launch) dead(ctx context.Context) error {
	list, err := l.client.Status(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the caller sees its own context end
		}
		return fmt.Errorf("the supervisor does not answer: %w", err)
	}
	for _, c := range list {
		if !c.Running {
			return errors.New(strings.TrimSpace(fmt.Sprintf("%s ended: %s\n%s", c.Name, c.Exit, lastWords(l.Dir.Log(c.Name)))))
		}
	}
	return nil
}

// lastWords is the end of a log.
func lastWords(file string) string {
	raw, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/util/httpstream" //nolint:staticcheck // portforward has its types in its own signatures
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/transport/spdy"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// forwarder reaches pods from outside of the cluster, through the API server and the kubelet. It
// keeps one forwarding a pod, and makes it anew when it has ended.
type forwarder struct {
	cluster   *cluster
	namespace string

	mu       sync.Mutex
	open     map[string]*forwarding
	finished bool
}

// forwarding is a local port that leads to a pod.
type forwarding struct {
	port uint16
	stop chan struct{}
	done chan struct{}
}

// dial connects to a member.
func (f *forwarder) dial(ctx context.Context, member string) (net.Conn, error) {
	forwarding, err := f.forward(ctx, member)
	if err != nil {
		return nil, err
	}
	return new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(forwarding.port))))
}

func (f *forwarder) forward(ctx context.Context, member string) (*forwarding, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.finished {
		return nil, fmt.Errorf("forward to pod %s/%s: %w", f.namespace, member, net.ErrClosed)
	}
	if g, ok := f.open[member]; ok {
		select {
		case <-g.done:
		default:
			return g, nil
		}
	}
	g, err := f.start(ctx, member)
	if err != nil {
		return nil, fmt.Errorf("forward to pod %s/%s: %w", f.namespace, member, err)
	}
	if f.open == nil {
		f.open = map[string]*forwarding{}
	}
	f.open[member] = g
	return g, nil
}

// start opens a local port and waits until it leads to the pod.
func (f *forwarder) start(ctx context.Context, member string) (*forwarding, error) {
	dialer, err := f.dialer(member)
	if err != nil {
		return nil, err
	}
	g := &forwarding{stop: make(chan struct{}), done: make(chan struct{})}
	ready := make(chan struct{})
	p, err := portforward.NewOnAddresses(dialer, []string{"127.0.0.1"}, []string{fmt.Sprintf("0:%d", v1alpha1.Port)}, g.stop, ready, io.Discard, io.Discard)
	if err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() {
		defer close(g.done)
		ended <- p.ForwardPorts()
	}()
	select {
	case <-ready:
		ports, err := p.GetPorts()
		if err != nil {
			close(g.stop)
			return nil, err
		}
		g.port = ports[0].Local
		return g, nil
	case err := <-ended:
		return nil, err
	case <-ctx.Done():
		close(g.stop)
		return nil, ctx.Err()
	}
}

// dialer opens the stream to the kubelet: by WebSocket, or by SPDY where something in between
// does not speak the former.
func (f *forwarder) dialer(member string) (httpstream.Dialer, error) {
	url := f.cluster.clientset.CoreV1().RESTClient().Post().
		Resource("pods").Namespace(f.namespace).Name(member).SubResource("portforward").URL()
	transport, upgrader, err := spdy.RoundTripperFor(f.cluster.config)
	if err != nil {
		return nil, err
	}
	old := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, http.MethodPost, url)
	tunnel, err := portforward.NewSPDYOverWebsocketDialer(url, f.cluster.config)
	if err != nil {
		return nil, err
	}
	return portforward.NewFallbackDialer(tunnel, old, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	}), nil
}

// close ends every forwarding.
func (f *forwarder) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.finished = true
	for _, g := range f.open {
		close(g.stop)
		<-g.done
	}
	f.open = nil
}

//go:build integration

package proxy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Endpoint is a proxy that listens.
type Endpoint struct {
	*Proxy
	URL    string
	server *http.Server
}

// Listen puts a proxy in front of the API server of a configuration, whose identity it takes. It
// listens on the loopback interface and without TLS: who can reach it is this machine.
func Listen(config *rest.Config) (*Endpoint, error) {
	transport, err := rest.TransportFor(config)
	if err != nil {
		return nil, fmt.Errorf("transport to the API server: %w", err)
	}
	server, err := url.Parse(config.Host)
	if err != nil {
		return nil, fmt.Errorf("address of the API server: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := New(server, transport)
	e := &Endpoint{Proxy: p, URL: "http://" + listener.Addr().String(), server: &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = e.server.Serve(listener) }()
	return e, nil
}

// Close ends all connections.
func (e *Endpoint) Close() error { return e.server.Close() }

// Kubeconfig writes a kubeconfig that leads to the proxy.
func (e *Endpoint) Kubeconfig(path string) error {
	c := clientcmdapi.NewConfig()
	c.Clusters["proxy"] = &clientcmdapi.Cluster{Server: e.URL}
	c.Contexts["proxy"] = &clientcmdapi.Context{Cluster: "proxy"}
	c.CurrentContext = "proxy"
	return clientcmd.WriteToFile(*c, path)
}

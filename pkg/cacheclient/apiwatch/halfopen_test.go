package apiwatch_test

import (
	"context"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/apiwatch"
)

// abyss stands before a server. When it is told to, it swallows what the connections that it has
// by then say, and lets both sides believe that all is well.
type abyss struct {
	net.Listener
	to       string
	open     sync.WaitGroup
	deadline atomic.Int64 // connections of a lower number are swallowed
	accepted atomic.Int64
}

func newAbyss(t *testing.T, to string) *abyss {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &abyss{Listener: listener, to: to}
	a.open.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				_ = near.Close()
				continue
			}
			number := a.accepted.Add(1)
			a.open.Go(func() { a.carry(number, near, far) })
			a.open.Go(func() { a.carry(number, far, near) })
		}
	})
	return a
}

func (a *abyss) carry(number int64, from, to net.Conn) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if number > a.deadline.Load() {
			_, _ = to.Write(buffer[:n])
		}
	}
}

// A connection that is dead without knowing it, over which HTTP/2 would send everything, costs
// Refresh and one attempt, and not the time that HTTP/2 takes to find out.
func TestAConnectionIsHalfOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("takes eight seconds")
	}
	s := newAPIServer()
	s.write(newRing("uid", one))
	server := httptest.NewUnstartedServer(s)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	a := newAbyss(t, server.Listener.Addr().String())
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "https://" + a.Addr().String(), QPS: -1, TLSClientConfig: rest.TLSClientConfig{
		CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	rings := make(chan int64, 100)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		source := apiwatch.Source{Client: client, Namespace: "shop", Cache: "orders-cache", Refresh: 2 * time.Second}
		ended <- source.Run(ctx, func(s cacheclient.Snapshot) { rings <- s.Ring.Version })
	}()
	for <-rings != 4 {
	}
	time.Sleep(100 * time.Millisecond) // until the watch stands, most likely
	a.deadline.Store(a.accepted.Load())
	s.write(newRing("uid", two))
	late := time.After(20 * time.Second) // HTTP/2 would take 45 s
	for version := int64(4); version != 5; {
		select {
		case version = <-rings:
		case <-late:
			t.Fatal("not within 20 s")
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	utilnet.CloseIdleConnectionsFor(client.CoreV1().RESTClient().(*rest.RESTClient).Client.Transport)
	_ = a.Close()
	server.CloseClientConnections()
	a.open.Wait()
}

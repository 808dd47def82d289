// Command load is the client of the end-to-end tests: it writes and reads at a constant rate
// through the client library, and says at the end, as one line of JSON, what its requests met.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptrace"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/apiwatch"
)

// options are what a load consists of.
type options struct {
	cache, namespace, ring string
	rate, clients          int
}

func main() {
	var o options
	flag.StringVar(&o.cache, "cache", "", "name of the cache")
	flag.StringVar(&o.namespace, "namespace", "default", "its namespace")
	flag.StringVar(&o.ring, "ring", "", "directory where the ring's ConfigMap is mounted; empty, watch the API server")
	flag.IntVar(&o.rate, "rate", 200, "requests a second, of all clients together")
	flag.IntVar(&o.clients, "clients", 1, "clients, each with connections and a watch of its own")
	duration := flag.Duration("duration", time.Minute, "how long at most; SIGTERM ends it earlier")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, *duration)
	r, err := run(ctx, o)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(r)
}

func run(ctx context.Context, o options) (*result, error) {
	r := &result{}
	clients, err := connect(ctx, o, r)
	if err != nil {
		return nil, err
	}
	fmt.Println("started")
	var inFlight sync.WaitGroup
	tick := time.NewTicker(time.Second / time.Duration(o.rate))
	defer tick.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		<-tick.C
		inFlight.Go(func() { r.answered(request(clients[i%len(clients)], i)) })
	}
	inFlight.Wait()
	for _, client := range clients {
		_ = client.Close() // the work is done
	}
	return r, nil
}

// connect makes the clients and waits until each has a ring. They live as long as the process.
func connect(ctx context.Context, o options, r *result) ([]*cacheclient.Client, error) {
	source, err := o.source()
	if err != nil {
		return nil, err
	}
	clients := make([]*cacheclient.Client, o.clients)
	for i := range clients {
		clients[i], err = cacheclient.New(cacheclient.Options{
			Source:      source,
			Address:     cacheclient.InCluster(o.cache, o.namespace),
			Timeout:     2 * time.Second,
			DialTimeout: time.Second,
			Hooks:       cacheclient.Hooks{Request: r.ended, RingTaken: r.seen},
		})
		if err != nil {
			return nil, err
		}
	}
	for _, client := range clients {
		if err := client.Wait(ctx); err != nil {
			return nil, err
		}
	}
	return clients, nil
}

// source brings the ring in the way that was asked for.
func (o options) source() (cacheclient.Source, error) {
	if o.ring != "" {
		return cacheclient.File{Directory: o.ring}, nil
	}
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // the clients begin together
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return apiwatch.Source{Client: clientset, Namespace: o.namespace, Cache: o.cache}, nil
}

// request writes a key, or reads it, and says on how many connections that took place.
func request(client *cacheclient.Client, i int) (found bool, connections int, err error) {
	var used atomic.Int32
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { used.Add(1) },
	})
	key := fmt.Appendf(nil, "key-%d", i/2%1000)
	if i%2 == 0 {
		found, err = client.Set(ctx, key, []byte("value"), 0)
	} else {
		_, found, err = client.Get(ctx, key)
	}
	if !found && err == nil {
		_, err = client.Owner(key) // to whom a miss for want of a ring is not a miss
	}
	return found, int(used.Load()), err
}

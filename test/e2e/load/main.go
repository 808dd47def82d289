// Command load is the client of the end-to-end tests: it writes and reads at a constant rate
// through the client library, and says at the end, as one line of JSON, what its requests met.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/apiwatch"
)

// result counts what the requests met.
type result struct {
	Requests    int
	Hits        int
	Misses      int
	NoRing      int
	Errors      int
	Unreachable int
	// First is the first trouble.
	First string
}

func main() {
	cache := flag.String("cache", "", "name of the cache")
	namespace := flag.String("namespace", "default", "its namespace")
	rate := flag.Int("rate", 200, "requests a second")
	duration := flag.Duration("duration", time.Minute, "how long at most; SIGTERM ends it earlier")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, *duration)
	r, err := run(ctx, *namespace, *cache, *rate)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(r)
}

func run(ctx context.Context, namespace, cache string, rate int) (*result, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, err
	}
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	r := &result{}
	trouble := func(count *int, text string) {
		mu.Lock()
		defer mu.Unlock()
		*count++
		if r.First == "" {
			r.First = time.Now().UTC().Format(time.RFC3339Nano) + " " + text
		}
	}
	client, err := cacheclient.New(cacheclient.Options{
		Source: apiwatch.Source{Client: clientset, Namespace: namespace, Cache: cache},
		Address: func(member string) string {
			return fmt.Sprintf("%s.%s.%s.svc.cluster.local:8080", member, cache, namespace)
		},
		Timeout:     2 * time.Second,
		DialTimeout: time.Second,
		Unreachable: func(member string, err error) { trouble(&r.Unreachable, member+": "+err.Error()) },
	})
	if err != nil {
		return nil, err
	}
	defer client.Close() //nolint:errcheck // the work is done
	if err := client.Wait(ctx); err != nil {
		return nil, err
	}
	fmt.Println("started")
	var inFlight sync.WaitGroup
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		<-tick.C
		inFlight.Go(func() {
			found, err := request(client, i)
			mu.Lock()
			r.Requests++
			switch {
			case errors.Is(err, cacheclient.ErrNoRing):
				r.NoRing++
			case found:
				r.Hits++
			default:
				r.Misses++
			}
			mu.Unlock()
			if err != nil && !errors.Is(err, cacheclient.ErrNoRing) {
				trouble(&r.Errors, err.Error())
			}
		})
	}
	inFlight.Wait()
	return r, nil
}

// request writes a key, or reads it.
func request(client *cacheclient.Client, i int) (found bool, err error) {
	ctx := context.Background()
	key := fmt.Appendf(nil, "key-%d", i/2%1000)
	if i%2 == 0 {
		return client.Set(ctx, key, []byte("value"), 0)
	}
	_, found, err = client.Get(ctx, key)
	return found, err
}

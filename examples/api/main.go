// Command api serves profiles from the cache orders-cache, and loads those that are not there. It
// watches the ring at the API server.
package main

import (
	"context"
	"log"
	"net/http"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/apiwatch"
)

func main() {
	source, err := apiwatch.InCluster("orders-cache", "") // the cache is in the namespace of this pod
	if err != nil {
		log.Fatal(err)
	}
	cache, err := cacheclient.New(cacheclient.Options{Source: source, Address: cacheclient.InCluster(source.Cache, source.Namespace)})
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /profiles/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		profile, err := cache.GetOrLoad(r.Context(), []byte("profile:"+name), time.Minute,
			func(ctx context.Context) ([]byte, error) { return load(ctx, name) })
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write(profile) //nolint:gosec // it is plain text
	})
	server := http.Server{Addr: ":8080", ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// load stands for the slow thing that the cache is there for.
func load(_ context.Context, name string) ([]byte, error) {
	time.Sleep(200 * time.Millisecond)
	return []byte("profile of " + name + ", loaded " + time.Now().UTC().Format(time.RFC3339Nano) + "\n"), nil
}

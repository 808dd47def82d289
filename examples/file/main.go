// Command file serves profiles from the cache sessions-cache, and loads those that are not there. It
// reads the ring from a mounted ConfigMap: it needs no rights, no token and no API server.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
)

func main() {
	cache, err := cacheclient.New(cacheclient.Options{
		Source:  cacheclient.File{Directory: "/etc/ring", Trouble: func(err error) { log.Print(err) }},
		Address: cacheclient.InCluster("sessions-cache", os.Getenv("NAMESPACE")),
	})
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

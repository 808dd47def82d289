// Command probe asks, from inside a pod, what the end-to-end tests want to know of the network.
// Without targets it stays, serves and waits to be asked. With targets, it says of each in a word,
// one a line, how it went: "passes", or at which step it ended.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	address = ":9090"
	// patience is for one flow: more than a busy machine needs, for packets may just vanish.
	patience = 3 * time.Second
)

func main() {
	if len(os.Args) == 1 {
		serve()
		return
	}
	said := make([]string, len(os.Args)-1)
	var asked sync.WaitGroup
	for i, target := range os.Args[1:] {
		asked.Go(func() { said[i] = ask(target) })
	}
	asked.Wait()
	fmt.Println(strings.Join(said, "\n"))
}

func serve() {
	server := &http.Server{Addr: address, ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusOK)
	})}
	fmt.Fprintln(os.Stderr, server.ListenAndServe())
	os.Exit(1)
}

// ask makes a GET of a URL, or looks the name in udp:name or tcp:name up by that protocol.
func ask(target string) string {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	kind, rest, _ := strings.Cut(target, ":")
	switch kind {
	case "udp", "tcp":
		resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, server string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, kind, server)
		}}
		_, err := resolver.LookupHost(ctx, rest)
		return outcome(err)
	default:
		return outcome(get(ctx, target))
	}
}

func get(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil) //nolint:gosec // to ask whatever it is told is its purpose
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request) //nolint:gosec // as above
	if err != nil {
		return err
	}
	_ = answer.Body.Close() // only the status counts
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", answer.StatusCode)
	}
	return nil
}

// outcome tells a flow that was kept out, which is one whose name was found and whose connection
// did not come about, from everything else that can go wrong.
func outcome(err error) string {
	var name *net.DNSError
	var step *net.OpError
	switch {
	case err == nil:
		return "passes"
	case errors.As(err, &name):
		return "name not found: " + name.Error()
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.As(err, &step) && step.Op == "dial" && step.Timeout():
		return "times out"
	default:
		return err.Error()
	}
}

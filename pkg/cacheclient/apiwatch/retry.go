package apiwatch

import (
	"context"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// longest is how long a pause is at the most: what the API server was away for is over no later
// for its clients than that.
const longest = 2 * time.Second

// pauses are the times between attempts. They double until an attempt lasts.
type pauses struct{ wait.Backoff }

func newPauses() *pauses {
	// The jitter comes on top: 1.6 s and a quarter are the longest pause.
	return &pauses{wait.Backoff{Duration: 50 * time.Millisecond, Factor: 2, Jitter: 0.25, Steps: 10, Cap: 4 * longest / 5}}
}

// wait pauses after an attempt that lasted for a time, and gives false if ctx ended. One that
// lasted longer than any pause is followed by the shortest.
func (p *pauses) wait(ctx context.Context, lasted time.Duration) bool {
	if lasted > longest {
		*p = *newPauses()
	}
	timer := time.NewTimer(p.Step())
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// dropConnections lets the next attempt connect anew. One over HTTP/2 takes the connection of the
// one before, which may be dead without knowing it for most of a minute.
func dropConnections(client kubernetes.Interface) {
	if c, ok := client.CoreV1().RESTClient().(*rest.RESTClient); ok && c != nil && c.Client != nil {
		utilnet.CloseIdleConnectionsFor(c.Client.Transport)
	}
}

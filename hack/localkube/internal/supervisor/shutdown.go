package supervisor

import (
	"context"
	"sync"
	"time"
)

// shutdown ends first those that would start others again, then the rest together. What is
// left of a real node's pods dies with this process, its PID 1.
func (c *children) shutdown(ctx context.Context, first ...string) {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	for _, name := range first {
		_ = c.stop(ctx, name, time.Second)
	}
	var all sync.WaitGroup
	for _, status := range c.list() {
		if status.Running {
			all.Go(func() { _ = c.stop(ctx, status.Name, time.Second) })
		}
	}
	all.Wait()
}

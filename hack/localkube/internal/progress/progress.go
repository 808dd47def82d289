// Package progress tells people that a long step still goes on.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// interval is how often a long step says that it still goes on.
const interval = 10 * time.Second

// Report prints a line now and then one with the time that passed, until stopped.
func Report(out io.Writer, what string) (stop func()) {
	_, _ = fmt.Fprintf(out, "%s\n", what)
	start, done := time.Now(), make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_, _ = fmt.Fprintf(out, "%s: %s\n", what, time.Since(start).Round(time.Second))
			}
		}
	})
	return func() { close(done); ended.Wait() }
}

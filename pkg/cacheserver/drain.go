package cacheserver

import (
	"context"
	"time"
)

// Drainer decides how long a server that was told to stop serves on, new
// connections included. ServeOn returns when the time has come, and at once
// when ctx ends. It is called once, at the beginning of the stop.
type Drainer interface {
	ServeOn(ctx context.Context)
}

// DrainGrace serves on for a fixed time.
type DrainGrace time.Duration

// ServeOn implements Drainer.
func (g DrainGrace) ServeOn(ctx context.Context) {
	timer := time.NewTimer(time.Duration(g))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

package cacheserver

import (
	"context"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// PodFiles decides by what the pod's annotations say, as the kubelet shows them in a directory of
// files: when the pod left the ring, and how long it is to serve on after that. They may change
// while the server waits.
//
// A pod that left the ring serves on until its grace is over. One that is terminated without
// having left first, for example by kubectl delete, leaves the ring because of that: it serves on
// for its grace from the signal on, and a moment longer in which the ring is published.
type PodFiles struct {
	// Files is the directory.
	Files fs.FS
	// Grace holds where the files name none.
	Grace time.Duration
	// Limit bounds the whole: the kubelet kills a pod that takes longer than its
	// terminationGracePeriodSeconds.
	Limit time.Duration
}

// Names of the files, and the times of the wait.
const (
	// DrainingSinceFile holds when the pod left the ring, as RFC 3339; empty if it did not.
	DrainingSinceFile = "draining-since"
	// DrainGraceFile holds how long it serves on, in seconds.
	DrainGraceFile = "drain-grace-seconds"

	publication = time.Second
	podFilePoll = 100 * time.Millisecond
)

// ServeOn implements Drainer.
func (p PodFiles) ServeOn(ctx context.Context) {
	start := time.Now()
	for tick := time.NewTicker(podFilePoll); ; {
		if now := time.Now(); !now.Before(p.until(start)) {
			tick.Stop()
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			tick.Stop()
			return
		}
	}
}

// until is when a server that was told to stop at start has served on long enough.
func (p PodFiles) until(start time.Time) time.Time {
	grace := p.Grace
	if seconds, err := strconv.Atoi(p.read(DrainGraceFile)); err == nil && seconds >= 0 {
		grace = time.Duration(seconds) * time.Second
	}
	end := start.Add(grace + publication)
	if since, err := time.Parse(time.RFC3339, p.read(DrainingSinceFile)); err == nil {
		end = since.Add(grace)
	}
	if limit := start.Add(p.Limit); end.After(limit) {
		end = limit
	}
	return end
}

func (p PodFiles) read(name string) string {
	data, err := fs.ReadFile(p.Files, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

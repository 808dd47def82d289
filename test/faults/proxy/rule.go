//go:build integration

package proxy

import (
	"context"
	"sync/atomic"
	"time"
)

// Drop says when a connection is closed instead of an answer.
type Drop int

// The two moments at which an answer can get lost.
const (
	// Never answers.
	Never Drop = iota
	// Early closes without having asked the API server.
	Early
	// Late closes after the API server has answered: the write may stand, and nobody is told.
	Late
)

// Rule says what happens to the writes it matches. The zero Rule lets everything pass.
type Rule struct {
	// Match picks the writes; nil is all of them.
	Match func(Write) bool
	// Times is how many writes the rule is for, 0 for any number.
	Times int
	// Before is called when the write has arrived and nothing is forwarded yet, After when the API
	// server has answered and the operator does not know it yet.
	Before func(Write)
	After  func(Write)
	// Delay is waited, and Hold, if there is one, until it is closed, before anything is forwarded.
	Delay time.Duration
	Hold  <-chan struct{}
	Drop  Drop
	// Code is answered instead of asking the API server, if it is not 0.
	Code int
}

// Armed is a rule at work.
type Armed struct {
	Rule
	hits atomic.Int32
}

// Hits is how many writes the rule was applied to.
func (a *Armed) Hits() int { return int(a.hits.Load()) }

// takes reports whether the rule is for the write, and counts it.
func (a *Armed) takes(w Write) bool {
	if a.Match != nil && !a.Match(w) {
		return false
	}
	if a.hits.Add(1) > int32(a.Times) && a.Times > 0 {
		a.hits.Add(-1)
		return false
	}
	return true
}

// wait waits as the rule says. It fails if the client went away meanwhile: a write that nobody
// waits for is not forwarded.
func (r Rule) wait(ctx context.Context) error {
	if r.Delay > 0 {
		select {
		case <-time.After(r.Delay):
		case <-ctx.Done():
		}
	}
	if r.Hold != nil {
		select {
		case <-r.Hold:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

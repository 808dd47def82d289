package cacheclient

import (
	"context"
	"errors"
	"time"
)

// ask sends a request to a member, nil if nobody owns the key, and tells the hook what came of it.
// An error is the caller's concern: Refused or Abandoned. Every other trouble is an outcome.
func (c *Client) ask(ctx context.Context, m *member, r request) (answer, error) {
	start := time.Now()
	a, reason := c.attempt(ctx, m, r)
	if c.options.Hooks.Request != nil {
		e := Event{Operation: r.operation, Outcome: a.outcome, Duration: time.Since(start), Err: reason, Keys: max(1, r.keys)}
		if a.outcome == Hit || a.outcome == Stored || a.outcome == Removed {
			e.Done = 1
		} else {
			e.Done = done(a.results)
		}
		if m != nil {
			e.Member = m.name
		}
		c.options.Hooks.Request(e)
	}
	if a.outcome == Refused || a.outcome == Abandoned {
		return a, reason
	}
	return a, nil
}

// attempt gives an outcome always, and with some the reason.
func (c *Client) attempt(ctx context.Context, m *member, r request) (answer, error) {
	if err := c.over(ctx); err != nil {
		return answer{outcome: Abandoned}, err
	}
	if m == nil {
		return answer{outcome: Skipped}, nil
	}
	probe, admitted := m.health.admit(time.Now())
	if !admitted {
		return answer{outcome: Skipped}, nil
	}
	timed, cancel := context.WithTimeoutCause(ctx, c.options.Timeout, c.silence)
	defer cancel()
	if !m.takeTurn(timed, c.life, probe) {
		m.health.unsent(probe)
		if err := c.over(ctx); err != nil {
			return answer{outcome: Abandoned}, err
		}
		return answer{outcome: Skipped}, nil
	}
	defer m.endTurn()
	start := time.Now()
	a, err := m.exchange(timed, r)
	if err != nil {
		return c.judge(ctx, m, err, probe, start)
	}
	m.health.answered(time.Now())
	if a.outcome == Refused || a.outcome == Busy {
		return a, a.err()
	}
	return a, nil
}

// judge says why there was no answer, and what that means for the member.
func (c *Client) judge(ctx context.Context, m *member, err error, probe bool, start time.Time) (answer, error) {
	over := c.over(ctx)
	switch {
	case errors.Is(err, errFull):
		m.health.unsent(probe)
		return answer{outcome: Busy}, err
	case errors.Is(over, ErrClosed):
		m.health.unsent(probe)
		return answer{outcome: Abandoned}, over
	case over != nil:
		m.health.abandoned(probe, start, time.Now())
	default:
		m.health.failed(probe, start, time.Now())
	}
	if m.health.dead() {
		// They may lead to where it once was.
		m.transport.CloseIdleConnections()
	}
	if over != nil {
		return answer{outcome: Abandoned}, over
	}
	return answer{outcome: Unreachable}, err
}

// over says that the client or the caller has had enough.
func (c *Client) over(ctx context.Context) error {
	if c.life.Err() != nil {
		return ErrClosed
	}
	return ctx.Err()
}

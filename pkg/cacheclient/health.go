package cacheclient

import (
	"math/rand/v2"
	"sync"
	"time"
)

// health decides whether a member is asked. A member is alive until a request fails. Then it is
// left alone for a pause, and when that is over one request at a time is its probe, until there is
// an answer. It is told what time it is.
type health struct {
	// first and most bound the pause.
	first, most time.Duration
	// patience is how long a living member may be silent while it is waited for.
	patience time.Duration

	mu sync.Mutex
	// failures counts them in a row; 0 is alive.
	failures int
	// until is the end of the pause.
	until   time.Time
	probing bool
	// heard is when the last answer came.
	heard time.Time
	// silent is how long requests that their callers gave up have waited since the last answer,
	// those that waited together counted once; counted is up to when.
	silent  time.Duration
	counted time.Time
}

// admit says whether a request may be sent, and whether it is the probe. What is admitted must
// come to answered, failed, abandoned or unsent.
func (h *health) admit(now time.Time) (probe, admitted bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failures == 0 {
		return false, true
	}
	if h.probing || now.Before(h.until) {
		return false, false
	}
	h.probing = true
	return true, true
}

// dead says that the member is left alone, or probed by somebody else.
func (h *health) dead() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failures > 0
}

// answered notes an answer of whatever kind.
func (h *health) answered(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures, h.probing, h.silent, h.heard = 0, false, 0, now
}

// failed notes that a request sent at start was not answered. If the member was found dead before,
// as when many fail together, it says nothing new; if it answered others since start, it lives.
func (h *health) failed(probe bool, start, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if probe || h.failures == 0 && !start.Before(h.heard) {
		h.failures++
		h.pause(now)
	}
}

// abandoned notes that a caller gave up a request, sent at start, before the member's time was
// over. One such says nothing, since the caller may have been in a hurry. But a member whose
// callers are all in a hurry must not stay alive for ever: if they have waited for as long as the
// client would have, and nobody was answered, it is dead. A dead one stays so until it answers.
func (h *health) abandoned(probe bool, start, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case probe:
		h.pause(now)
	case h.failures == 0:
		for _, t := range []time.Time{h.counted, h.heard} {
			if start.Before(t) {
				start = t
			}
		}
		h.silent += now.Sub(start)
		h.counted = now
		if h.silent >= h.patience {
			h.failures = 1
			h.pause(now)
		}
	}
}

// unsent notes that an admitted request did not reach the member, through no fault of its own.
func (h *health) unsent(probe bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if probe {
		h.probing = false
	}
}

// pause begins one, the longer the more failures. Some of it is taken off at random, so that the
// clients of a member do not come back together.
func (h *health) pause(now time.Time) {
	d := h.first
	for i := 1; i < h.failures && d < h.most; i++ {
		d *= 2
	}
	d = min(d, h.most)
	h.until = now.Add(d - rand.N(d/4+1)) //nolint:gosec // jitter is no secret
	h.probing, h.silent = false, 0
}

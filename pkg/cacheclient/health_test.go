package cacheclient

import (
	"testing"
	"time"
)

const testPatience = 500 * time.Millisecond

func newHealth() *health {
	return &health{first: 100 * time.Millisecond, most: 2 * time.Second, patience: testPatience}
}

var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return epoch.Add(time.Duration(ms) * time.Millisecond) }

// Each failed probe doubles the pause, up to the limit; less than a quarter is taken off.
func TestPausesDouble(t *testing.T) {
	for range 100 {
		h, now := newHealth(), epoch
		h.failed(false, now, now)
		for i, ms := range []int{100, 200, 400, 800, 1600, 2000, 2000, 2000} {
			want := at(ms).Sub(epoch)
			if pause := h.until.Sub(now); pause < want*3/4-1 || pause > want {
				t.Fatalf("pause %d is %s, want between three quarters of %s and that", i, pause, want)
			}
			if _, admitted := h.admit(h.until.Add(-1)); admitted {
				t.Fatal("admitted before the pause was over")
			}
			now = h.until
			if probe, admitted := h.admit(now); !probe || !admitted {
				t.Fatalf("after pause %d: probe %t, admitted %t", i, probe, admitted)
			}
			if _, admitted := h.admit(now); admitted {
				t.Fatal("admitted beside the probe")
			}
			h.failed(true, now, now)
		}
	}
}

func TestHealth(t *testing.T) {
	for name, tc := range map[string]struct {
		happen func(h *health)
		alive  bool
	}{
		"in the beginning":             {func(*health) {}, true},
		"a failure":                    {func(h *health) { h.failed(false, at(0), at(9)) }, false},
		"an answer after a failure":    {func(h *health) { h.failed(false, at(0), at(9)); h.answered(at(10)) }, true},
		"a failure, others answered":   {func(h *health) { h.answered(at(5)); h.failed(false, at(0), at(9)) }, true},
		"a failure, answered before":   {func(h *health) { h.answered(at(5)); h.failed(false, at(6), at(9)) }, false},
		"one caller in a hurry":        {func(h *health) { h.abandoned(false, at(0), at(499)) }, true},
		"one caller with patience":     {func(h *health) { h.abandoned(false, at(0), at(500)) }, false},
		"ten callers in a hurry":       {func(h *health) { hurry(h, 10, 50) }, false},
		"nine callers in a hurry":      {func(h *health) { hurry(h, 9, 50) }, true},
		"many that wait together":      {func(h *health) { together(h, 100, 50) }, true},
		"callers seldom, in a hurry":   {func(h *health) { h.abandoned(false, at(0), at(50)); h.abandoned(false, at(60000), at(60050)) }, true},
		"an answer among hurried ones": {func(h *health) { hurry(h, 9, 50); h.answered(at(450)); hurry(h, 9, 50) }, true},
	} {
		h := newHealth()
		tc.happen(h)
		if h.dead() == tc.alive {
			t.Errorf("%s: alive is %t, want %t", name, !h.dead(), tc.alive)
		}
	}
}

// hurry is n callers one after another who each wait for some milliseconds.
func hurry(h *health, n, ms int) {
	for i := range n {
		h.abandoned(false, at(i*ms), at((i+1)*ms))
	}
}

func together(h *health, n, ms int) {
	for range n {
		h.abandoned(false, at(0), at(ms))
	}
}

// The failures of requests that were under way together are one.
func TestFailuresTogetherAreOne(t *testing.T) {
	h := newHealth()
	for range 50 {
		h.failed(false, at(0), at(0))
	}
	if pause := h.until.Sub(at(0)); pause > 100*time.Millisecond {
		t.Errorf("the pause is %s", pause)
	}
}

// A probe that its caller gave up leaves the member dead, for no longer than before.
func TestAnAbandonedProbe(t *testing.T) {
	h := newHealth()
	h.failed(false, at(0), at(0))
	for i := 1; i < 20; i++ {
		now := at(i * 100)
		if probe, admitted := h.admit(now); !probe || !admitted {
			t.Fatalf("probe %d: %t, %t", i, probe, admitted)
		}
		h.abandoned(true, now, now.Add(time.Microsecond))
		if _, admitted := h.admit(now.Add(time.Millisecond)); admitted {
			t.Fatal("admitted at once")
		}
		h.until = now
	}
}

// A probe that was not sent is due still.
func TestAnUnsentProbe(t *testing.T) {
	h := newHealth()
	h.failed(false, at(0), at(0))
	for range 3 {
		if probe, admitted := h.admit(at(100)); !probe || !admitted {
			t.Fatalf("%t, %t", probe, admitted)
		}
		h.unsent(true)
	}
}

package controller

import (
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
)

// A kind that is refused for long makes the operator unready, by name; a short refusal, a lost
// connection and one that is over do not.
func TestWatches(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "networking.k8s.io", Resource: "networkpolicies"}, "",
		errors.New(`User "operator" cannot list resource "networkpolicies"`))
	type refused struct {
		after time.Duration
		err   error
	}
	for _, tc := range []struct {
		name  string
		notes []refused
		later time.Duration
		blind bool
	}{
		{"nothing is refused", nil, time.Hour, false},
		{"refused once", []refused{{0, forbidden}}, time.Second, false},
		{"refused for long", []refused{{0, forbidden}, {20 * time.Second, forbidden}, {20 * time.Second, forbidden}}, time.Second, true},
		{"still refused, between two attempts", []refused{{0, forbidden}, {60 * time.Second, forbidden}}, 60 * time.Second, true},
		{"allowed again", []refused{{0, forbidden}, {40 * time.Second, forbidden}}, 2 * time.Minute, false},
		{"refused anew", []refused{{0, forbidden}, {40 * time.Second, forbidden}, {5 * time.Minute, forbidden}}, time.Second, false},
		{"the connection is lost", []refused{{0, errors.New("reset")}, {40 * time.Second, errors.New("reset")}}, time.Second, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
			w := &Watches{Clock: clock}
			for _, n := range tc.notes {
				clock.Step(n.after)
				w.note("*v1.NetworkPolicy", n.err)
			}
			clock.Step(tc.later)
			err := w.Check(nil)
			if (err != nil) != tc.blind {
				t.Fatalf("got %v", err)
			}
			if tc.blind && (!strings.Contains(err.Error(), "*v1.NetworkPolicy") || !strings.Contains(err.Error(), "cannot list")) {
				t.Errorf("got %v, which does not name kind and verb", err)
			}
		})
	}
}

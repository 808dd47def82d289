package apply

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Send takes the object as it is, with the preconditions that it carries.
func TestSend(t *testing.T) {
	for _, tc := range []struct {
		name   string
		answer error
		says   string
	}{
		{"accepted", nil, ""},
		{"refused", stale(), "Service shop/orders-cache: Operation cannot be fulfilled"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &writer{t: t, answers: []error{tc.answer}}
			err := (&Applier{Writer: w, Manager: manager}).Send(t.Context(), newService("new").WithUID("u").WithResourceVersion("7"))
			if (err != nil) != (tc.says != "") || err != nil && (!errors.Is(err, tc.answer) || !strings.HasPrefix(err.Error(), tc.says)) {
				t.Errorf("got %v, want %q", err, tc.says)
			}
			if diff := cmp.Diff([]request{{"Service", "orders-cache", "u", "7", "new"}}, w.sent); diff != "" {
				t.Errorf("-want +sent:\n%s", diff)
			}
		})
	}
}

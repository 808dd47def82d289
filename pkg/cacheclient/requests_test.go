package cacheclient_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
)

func TestRoundTrip(t *testing.T) {
	members := []*member{newMember(t), newMember(t), newMember(t)}
	c := newClient(t, members...)
	served := map[string]int{}
	for i := range 50 {
		key, value := fmt.Appendf(nil, "user-%d", i), fmt.Sprintf("value %d\x00\xff", i)
		if got, found, err := c.Get(t.Context(), key); found || err != nil {
			t.Fatalf("%s before it was set: %q, %v", key, got, err)
		}
		if stored, err := c.Set(t.Context(), key, []byte(value), time.Minute); !stored || err != nil {
			t.Fatalf("set %s: %t, %v", key, stored, err)
		}
		if got, found, err := c.Get(t.Context(), key); string(got) != value || !found || err != nil {
			t.Fatalf("get %s: %q, %t, %v", key, got, found, err)
		}
		owner, err := c.Owner(key)
		if err != nil {
			t.Fatal(err)
		}
		served[owner]++
		for want := true; ; want = false {
			removed, err := c.Delete(t.Context(), key)
			if removed != want || err != nil {
				t.Fatalf("delete %s: %t, %v; want %t", key, removed, err, want)
			}
			if !want {
				break
			}
		}
	}
	for i, m := range members {
		if got, want := len(m.requests()), 5*served[fmt.Sprintf("a-%d", i)]; got != want || want == 0 {
			t.Errorf("member %d got %d requests, owns keys for %d", i, got, want)
		}
	}
}

func TestAnEmptyValueIsAValue(t *testing.T) {
	c := newClient(t, newMember(t))
	if stored, err := c.Set(t.Context(), []byte("k"), nil, 0); !stored || err != nil {
		t.Fatalf("%t, %v", stored, err)
	}
	if got, found, err := c.Get(t.Context(), []byte("k")); len(got) != 0 || !found || err != nil {
		t.Errorf("%q, %t, %v", got, found, err)
	}
}

// The bytes of a key reach the member as they are, and none of them as structure.
func TestKeysAreEscaped(t *testing.T) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for name, tc := range map[string]struct {
		key  []byte
		path string
	}{
		"unreserved bytes stay":    {[]byte("azAZ09-_~"), "azAZ09-_~"},
		"a slash":                  {[]byte("a/b"), "a%2Fb"},
		"a way up":                 {[]byte("../.."), "%2E%2E%2F%2E%2E"},
		"a dot":                    {[]byte("."), "%2E"},
		"a question mark":          {[]byte("a?ttl=1"), "a%3Fttl%3D1"},
		"a hash and a per cent":    {[]byte("#%41"), "%23%2541"},
		"a blank and a plus":       {[]byte(" +"), "%20%2B"},
		"zero and what is not UTF": {[]byte{0, 0xff}, "%00%FF"},
		"all bytes":                {all, ""},
	} {
		m := newMember(t)
		c := newClient(t, m)
		if stored, err := c.Set(t.Context(), tc.key, []byte(name), 0); !stored || err != nil {
			t.Errorf("%s: %t, %v", name, stored, err)
		}
		if got, found, err := c.Get(t.Context(), tc.key); string(got) != name || !found || err != nil {
			t.Errorf("%s: got %q, %t, %v", name, got, found, err)
		}
		path, _ := strings.CutPrefix(m.requests()[0], "PUT /v1/cache/")
		if tc.path != "" && path != tc.path {
			t.Errorf("%s: sent %s, want %s", name, path, tc.path)
		}
		if back, err := url.PathUnescape(path); err != nil || back != string(tc.key) || strings.ContainsAny(path, "/.?#+") {
			t.Errorf("%s: sent %s, which reads %q, %v", name, path, back, err)
		}
	}
}

// A ttl is rounded up, so that nothing lives shorter than it should and nothing becomes eternal.
func TestTTL(t *testing.T) {
	for ttl, want := range map[time.Duration]string{
		0:                                 "PUT /v1/cache/k",
		time.Nanosecond:                   "PUT /v1/cache/k?ttl=1",
		time.Second:                       "PUT /v1/cache/k?ttl=1",
		time.Second + time.Nanosecond:     "PUT /v1/cache/k?ttl=2",
		90*time.Minute + time.Millisecond: "PUT /v1/cache/k?ttl=5401",
		math.MaxInt64:                     "PUT /v1/cache/k?ttl=9223372037",
	} {
		m := newMember(t)
		if stored, err := newClient(t, m).Set(t.Context(), []byte("k"), []byte("v"), ttl); !stored || err != nil {
			t.Errorf("%s: %t, %v", ttl, stored, err)
		}
		if diff := cmp.Diff([]string{want}, m.requests()); diff != "" {
			t.Errorf("%s: -want +sent:\n%s", ttl, diff)
		}
	}
	m := newMember(t)
	c := newClient(t, m)
	_, single := c.Set(t.Context(), []byte("k"), nil, -1)
	_, many := c.SetMany(t.Context(), []cacheclient.Entry{{Key: []byte("j")}, {Key: []byte("k"), TTL: -1}})
	_, load := c.GetOrLoad(t.Context(), []byte("k"), -1, nil)
	for name, err := range map[string]error{"Set": single, "SetMany": many, "GetOrLoad": load} {
		if err == nil || !strings.Contains(err.Error(), `"k": ttl -1ns: 0 or more is needed`) {
			t.Errorf("a negative ttl: %s: %v", name, err)
		}
	}
	if len(m.requests()) > 0 {
		t.Errorf("a negative ttl: sent %q", m.requests())
	}
}

// outcome is what the three methods give for one key, as text.
func outcome(ctx context.Context, c *cacheclient.Client) []string {
	_, found, getErr := c.Get(ctx, []byte("k"))
	stored, setErr := c.Set(ctx, []byte("k"), []byte("v"), 0)
	removed, deleteErr := c.Delete(ctx, []byte("k"))
	shown := []string{}
	for _, tc := range []struct {
		done bool
		err  error
	}{{found, getErr}, {stored, setErr}, {removed, deleteErr}} {
		switch {
		case errors.Is(tc.err, cacheclient.ErrRefused):
			shown = append(shown, "refused")
		case tc.err != nil:
			shown = append(shown, tc.err.Error())
		default:
			shown = append(shown, fmt.Sprint(tc.done))
		}
	}
	return shown
}

func TestStatusCodes(t *testing.T) {
	for status, want := range map[int][]string{
		http.StatusOK:                    {"true", "true", "true"},
		http.StatusNoContent:             {"refused", "true", "true"},
		http.StatusFound:                 {"refused", "refused", "refused"},
		http.StatusBadRequest:            {"refused", "refused", "refused"},
		http.StatusNotFound:              {"false", "refused", "false"},
		http.StatusRequestEntityTooLarge: {"refused", "refused", "refused"},
		http.StatusRequestTimeout:        {"false", "false", "false"},
		http.StatusTooManyRequests:       {"false", "false", "false"},
		http.StatusInternalServerError:   {"false", "false", "false"},
		http.StatusServiceUnavailable:    {"false", "false", "false"},
	} {
		m := newMember(t)
		m.answer = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}
		if diff := cmp.Diff(want, outcome(t.Context(), newClient(t, m))); diff != "" {
			t.Errorf("%d for get, set, delete: -want +got:\n%s", status, diff)
		}
		if n := len(m.requests()); n != 3 {
			t.Errorf("%d: %d requests, want one each", status, n)
		}
	}
}

func TestRefusalsSayWhatTheMemberSaid(t *testing.T) {
	m := newMember(t)
	m.answer = func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "a value may have 1048576 bytes", http.StatusRequestEntityTooLarge)
	}
	_, err := newClient(t, m).Set(t.Context(), []byte("k"), []byte("v"), 0)
	if want := "refused: 413 Request Entity Too Large: a value may have 1048576 bytes"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

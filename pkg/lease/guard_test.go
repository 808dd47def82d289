package lease

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const (
	leases = "/apis/coordination.k8s.io/v1/namespaces/ns/leases"
	ours   = leases + "/operator"
	object = "/api/v1/namespaces/ns/configmaps/orders-ring"
	review = "/apis/authentication.k8s.io/v1/tokenreviews"
)

// server answers every request with a code, and lets time pass before it does.
type server struct {
	now   time.Time
	takes time.Duration
	code  int
	asked []string
}

func (s *server) RoundTrip(request *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, request.Method+" "+request.URL.Path)
	s.now = s.now.Add(s.takes)
	if s.code == 0 {
		return nil, errors.New("no answer")
	}
	return &http.Response{StatusCode: s.code, Body: http.NoBody}, nil
}

func TestGuard(t *testing.T) {
	type step struct {
		after   time.Duration
		request string
		code    int
		refused bool
	}
	for _, tc := range []struct {
		name  string
		steps []step
	}{
		{"nothing is changed before the lease is taken", []step{{0, "PATCH " + object, 200, true}}},
		{"nothing is deleted before the lease is taken", []step{{0, "DELETE " + object, 200, true}}},
		{"nothing is deleted after it", []step{{0, "PUT " + ours, 200, false}, {15 * time.Second, "DELETE " + object, 200, true}}},
		{"who leads deletes", []step{{0, "PUT " + ours, 200, false}, {14 * time.Second, "DELETE " + object, 200, false}}},
		{"a lease that is created is taken", []step{{0, "POST " + leases, 201, false}, {0, "PATCH " + object, 200, false}}},
		{"a lease that is taken lasts for its duration", []step{{0, "PUT " + ours, 200, false}, {14 * time.Second, "PATCH " + object, 200, false}}},
		{"and no longer", []step{{0, "PUT " + ours, 200, false}, {15 * time.Second, "PATCH " + object, 200, true}}},
		{"a renewal makes it last", []step{{0, "PUT " + ours, 200, false}, {10 * time.Second, "PUT " + ours, 200, false}, {10 * time.Second, "PATCH " + object, 200, false}}},
		{"a refused one does not", []step{{0, "PUT " + ours, 200, false}, {10 * time.Second, "PUT " + ours, 409, false}, {5 * time.Second, "PATCH " + object, 200, true}}},
		{"nor does one without an answer", []step{{0, "PUT " + ours, 200, false}, {10 * time.Second, "PUT " + ours, 0, false}, {5 * time.Second, "PATCH " + object, 200, true}}},
		{"a look at the lease takes nothing", []step{{0, "GET " + ours, 200, false}, {0, "PATCH " + object, 200, true}}},
		{"who does not lead reads and reviews", []step{{0, "GET " + object, 200, false}, {0, "POST " + review, 201, false}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &server{now: time.Unix(1000, 0)}
			g := New(15 * time.Second)
			g.local = func() time.Time { return s.now }
			for _, step := range tc.steps {
				s.now, s.code = s.now.Add(step.after), step.code
				method, path, _ := strings.Cut(step.request, " ")
				asked := len(s.asked)
				_, err := g.Wrap(s).RoundTrip(httptest.NewRequest(method, path, strings.NewReader("{}")))
				if refused := errors.Is(err, ErrOutlived); refused != step.refused || refused == (len(s.asked) > asked) {
					t.Errorf("%s: %v, the server was asked %v", step.request, err, s.asked)
				}
			}
		})
	}
}

// The one who waits for the end of a lease counts from when it saw the renewal, which is later
// than when it was sent, however long the answer took.
func TestGuardCountsFromTheSending(t *testing.T) {
	s := &server{now: time.Unix(1000, 0), takes: 10 * time.Second, code: http.StatusOK}
	g := New(15 * time.Second)
	g.local = func() time.Time { return s.now }
	if _, err := g.Wrap(s).RoundTrip(httptest.NewRequest(http.MethodPut, ours, nil)); err != nil {
		t.Fatal(err)
	}
	s.now = s.now.Add(5 * time.Second)
	if g.ours() {
		t.Error("the lease is counted from the answer")
	}
}

// A suspended machine's monotonic clock does not tell how long it was away.
func TestGuardHeedsTheWallClock(t *testing.T) {
	g := New(15 * time.Second)
	g.sent(time.Now())
	g.local = func() time.Time { return time.Now().Round(0).Add(time.Minute) }
	if g.ours() {
		t.Error("the lease is ours a minute later")
	}
}

package apiwatch_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The API server is gone for a minute: the source asks on, and has the new ring two seconds after
// it is back at the latest.
func TestTheAPIServerIsGoneForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, 0, nil)
		b.within(t, 0, "uid4")
		b.Stop("api")
		time.Sleep(time.Minute)
		if n := b.troubled(t, "connection refused"); n < 30 || n > 60 {
			t.Errorf("asked %d times in a minute", n)
		}
		b.write(newRing("uid", two))
		b.Serve("api", b.apiServer)
		b.within(t, 2*time.Second, "uid5")
		time.Sleep(time.Second)
		b.write(newRing("new", one))
		b.within(t, 0, "new4")
		b.troubled(t, "nothing")
	})
}

// The API server accepts connections for a minute, and does not answer.
func TestTheAPIServerIsSilentForAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, 0, nil)
		b.within(t, 0, "uid4")
		b.Serve("api", nil)
		time.Sleep(time.Minute)
		if n := b.troubled(t, "deadline exceeded"); n < 8 || n > 15 {
			t.Errorf("asked %d times in a minute", n)
		}
		b.write(newRing("uid", two))
		b.Serve("api", b.apiServer)
		b.within(t, 7*time.Second, "uid5")
	})
}

// It answers lists, and lets watches hang before they begin.
func TestWatchesDoNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, 0, func(_ http.ResponseWriter, r *http.Request) bool {
			if isWatch(r) {
				<-r.Context().Done()
				return true
			}
			return false
		})
		b.within(t, 0, "uid4")
		b.write(newRing("uid", two))
		b.within(t, 7*time.Second, "uid5")
		if b.troubled(t, "watch ConfigMap") == 0 {
			t.Error("no trouble")
		}
	})
}

// A stream that has gone dead without a word hides a ring no longer than Refresh.
func TestAStreamIsDead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, 30*time.Second, func(w http.ResponseWriter, r *http.Request) bool {
			if isWatch(r) {
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
				return true
			}
			return false
		})
		b.within(t, 0, "uid4")
		b.write(newRing("uid", two))
		b.within(t, 30*time.Second, "uid5")
		b.write(newRing("uid", `{"version":6,"members":[]}`))
		b.within(t, 30*time.Second, "uid6")
		time.Sleep(10 * time.Minute)
		b.troubled(t, "nothing")
		if lists, watches := b.asked(); lists < 20 || lists > 32 || watches < lists-1 {
			t.Errorf("%d lists and %d watches in eleven minutes", lists, watches)
		}
	})
}

// A version that is too old to be watched from is no trouble, wherever the server says so.
func TestTheVersionIsGone(t *testing.T) {
	for name, gone := range map[string]func(http.ResponseWriter){
		"in an answer": func(w http.ResponseWriter) { sendStatus(w, http.StatusGone, metav1.StatusReasonExpired) },
		"in an event": func(w http.ResponseWriter) {
			sendEvent(w, "ERROR", status(http.StatusGone, metav1.StatusReasonGone))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var times atomic.Int32
				b := newBubble(t, 0, func(w http.ResponseWriter, r *http.Request) bool {
					if isWatch(r) && times.Add(1) <= 2 {
						gone(w)
						return true
					}
					return false
				})
				b.within(t, 0, "uid4")
				b.write(newRing("uid", two))
				b.within(t, time.Second, "uid5")
				time.Sleep(time.Second)
				b.troubled(t, "nothing")
				b.write(newRing("uid", `{"version":6,"members":[]}`))
				b.within(t, 0, "uid6")
			})
		})
	}
}

// Without the right to read the ring the source says so, and asks until it has it. If only the
// right to watch is missing, lists must do.
func TestForbidden(t *testing.T) {
	for name, forbidden := range map[string]func(*http.Request) bool{
		"list": func(*http.Request) bool { return true }, "watch": isWatch,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var granted atomic.Bool
				b := newBubble(t, 0, func(w http.ResponseWriter, r *http.Request) bool {
					if granted.Load() || !forbidden(r) {
						return false
					}
					sendStatus(w, http.StatusForbidden, metav1.StatusReasonForbidden)
					return true
				})
				time.Sleep(time.Minute)
				if n := b.troubled(t, name+" ConfigMap shop/orders-cache-ring: this is forbidden"); n < 30 || n > 60 {
					t.Errorf("asked %d times in a minute", n)
				}
				b.write(newRing("uid", two))
				if name == "list" {
					granted.Store(true)
				}
				b.within(t, 2*time.Second, "uid5")
			})
		})
	}
}

// A server that ends every watch at once is not asked more often than one that is gone.
func TestWatchesEndAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, 0, func(_ http.ResponseWriter, r *http.Request) bool { return isWatch(r) })
		time.Sleep(time.Minute)
		if lists, _ := b.asked(); lists < 30 || lists > 60 {
			t.Errorf("%d lists in a minute", lists)
		}
		b.write(newRing("uid", two))
		b.within(t, 2*time.Second, "uid5")
	})
}

// The ring that was deleted stays with the client; what comes instead is seen, also if it is
// malformed for a while.
func TestTheRingIsDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubble(t, 0, nil)
		b.within(t, 0, "uid4")
		b.write(nil)
		time.Sleep(10 * time.Minute)
		if rings := b.seen(); len(rings) != 1 {
			t.Errorf("published %v", rings)
		}
		b.troubled(t, "nothing")
		b.write(newRing("uid", "{"))
		time.Sleep(time.Second)
		if n := b.troubled(t, "malformed ring document"); n != 1 {
			t.Errorf("%d troubles", n)
		}
		b.write(newRing("new", one))
		b.within(t, 0, "new4")
	})
}

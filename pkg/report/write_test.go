package report

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
)

// scribe stands for the API server and the event recorder, and notes what they are told, in order.
type scribe struct {
	refuse error
	writes []*v1alpha1.DistributedCache
	told   []string
}

func (s *scribe) Apply(_ context.Context, object runtime.ApplyConfiguration, options ...client.SubResourceApplyOption) error {
	s.told = append(s.told, "write")
	if s.refuse != nil {
		return s.refuse
	}
	chosen := (&client.SubResourceApplyOptions{}).ApplyOpts(options)
	if chosen.FieldManager != v1alpha1.FieldManager || chosen.Force == nil || !*chosen.Force {
		return fmt.Errorf("manager %q, force %v", chosen.FieldManager, chosen.Force)
	}
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	written := &v1alpha1.DistributedCache{}
	s.writes = append(s.writes, written)
	return json.Unmarshal(data, written)
}

func (s *scribe) Eventf(regarding, _ runtime.Object, weight, reason, _, note string, args ...any) {
	if regarding.(*v1alpha1.DistributedCache).UID != uid {
		note = "about another object: " + note
	}
	s.told = append(s.told, weight+" "+reason+" "+fmt.Sprintf(note, args...))
}

func (s *scribe) reporter() *Reporter { return &Reporter{Status: s, Events: s} }

// short cuts what was told to what matters: weight, reason of the event, reason of the condition.
func (s *scribe) short() []string {
	var list []string
	for _, line := range s.told {
		head, _, _ := strings.Cut(line, ":")
		list = append(list, head)
	}
	return list
}

func TestReportWritesTheWholeStatusOnTopOfTheRead(t *testing.T) {
	o, s := settledOutcome(3), &scribe{}
	if err := s.reporter().Report(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if len(s.writes) != 1 {
		t.Fatalf("%d writes, want 1", len(s.writes))
	}
	got := s.writes[0]
	if got.Name != "orders-cache" || got.Namespace != "shop" || got.ResourceVersion != "77" || got.Kind != v1alpha1.Kind {
		t.Errorf("written: %s %s/%s at resourceVersion %q", got.Kind, got.Namespace, got.Name, got.ResourceVersion)
	}
	if diff := cmp.Diff(Status(o), got.Status); diff != "" {
		t.Errorf("-wanted +written:\n%s", diff)
	}
}

func TestReportIsSilentWhenNothingDiffers(t *testing.T) {
	o, s := settledOutcome(3), &scribe{}
	o.World.Cache.Status = Status(o)
	o.Now = o.Now.Add(time.Hour)
	if err := s.reporter().Report(t.Context(), o); err != nil || len(s.told) != 0 {
		t.Errorf("got %v, told %q", err, s.told)
	}
	o.World.Cache.Status.ReadyReplicas--
	if err := s.reporter().Report(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"write"}, s.told); diff != "" {
		t.Errorf("a changed number is a write and no event: -want +got:\n%s", diff)
	}
}

func TestReportTellsNothingOfARefusedWrite(t *testing.T) {
	o, s := settledOutcome(3), &scribe{refuse: stale()}
	err := s.reporter().Report(t.Context(), o)
	if !errors.Is(err, s.refuse) || !strings.HasPrefix(err.Error(), "status of DistributedCache shop/orders-cache: ") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"write"}, s.told); diff != "" {
		t.Errorf("-want +told:\n%s", diff)
	}
}

func TestReportAlsoWritesAFailedPass(t *testing.T) {
	o, s := settledOutcome(3), &scribe{}
	o.World.Cache.Status = Status(o)
	o.Err, o.Results = errors.New("list the pods: forbidden"), nil
	if err := s.reporter().Report(t.Context(), o); err != nil || len(s.writes) != 1 {
		t.Errorf("got %v and %d writes", err, len(s.writes))
	}
}

// Each pass begins with the status that the one before wrote.
func TestEventsTellTransitions(t *testing.T) {
	for _, tc := range []struct {
		name   string
		passes []func(*Outcome)
		want   []string
	}{
		{"the first status tells that the cache is available", []func(*Outcome){none}, []string{"write", "Normal AvailableTrue Reconciled"}},
		{
			"a cache that begins without a ring is normal",
			[]func(*Outcome){withoutRing},
			[]string{"write", "Normal AvailableFalse RingNotPublished"},
		},
		{
			"a cache that begins in trouble is told of",
			[]func(*Outcome){serviceRefused},
			[]string{"write", "Normal AvailableTrue Reconciled", "Warning DegradedTrue ServiceReconcileFailed"},
		},
		{
			"a trouble that lasts is told once",
			[]func(*Outcome){none, serviceRefused, serviceRefused, none},
			[]string{
				"write", "Normal AvailableTrue Reconciled",
				"write", "Warning DegradedTrue ServiceReconcileFailed",
				"write", "Normal DegradedFalse Reconciled",
			},
		},
		{
			"another trouble is told",
			[]func(*Outcome){serviceRefused, nameTaken},
			[]string{
				"write", "Normal AvailableTrue Reconciled", "Warning DegradedTrue ServiceReconcileFailed",
				"write", "Warning DegradedTrue NameConflict",
			},
		},
		{
			"lost availability is a warning, regained is not",
			[]func(*Outcome){none, twoUnready, none},
			[]string{
				"write", "Normal AvailableTrue Reconciled",
				"write", "Warning AvailableFalse InsufficientReplicas",
				"write", "Normal AvailableTrue Reconciled",
			},
		},
		{
			"progress is written and not told",
			[]func(*Outcome){none, oneUnready, none},
			[]string{"write", "Normal AvailableTrue Reconciled", "write", "write"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, known := &scribe{}, newCache(3).Status
			for i, change := range tc.passes {
				o := settledOutcome(3)
				o.Now = epoch.Add(time.Duration(i) * time.Second)
				known.RingVersion = 4
				o.World.Cache.Status = known
				change(&o)
				if err := s.reporter().Report(t.Context(), o); err != nil {
					t.Fatal(err)
				}
				known = Status(o)
			}
			if diff := cmp.Diff(tc.want, s.short()); diff != "" {
				t.Errorf("-want +told:\n%s", diff)
			}
		})
	}
}

func none(*Outcome)             {}
func withoutRing(o *Outcome)    { o.World.Ring, o.Plan.Ring = nil, nil }
func oneUnready(o *Outcome)     { unready(o, 1) }
func twoUnready(o *Outcome)     { unready(o, 0); unready(o, 1) }
func serviceRefused(o *Outcome) { refuse(o, "Service", errors.New("no rights")) }
func nameTaken(o *Outcome) {
	refuse(o, "Service", &apply.ConflictError{Object: "Service shop/orders-cache"})
}

// A text with a per cent sign reaches the event as it is.
func TestEventsCarryTheMessageAsItIs(t *testing.T) {
	o, s := settledOutcome(3), &scribe{}
	o.World.Cache.Status = Status(o)
	refuse(&o, "Service", errors.New("100%d of quota"))
	if err := s.reporter().Report(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	want := []string{"write", "Warning DegradedTrue ServiceReconcileFailed: 100%d of quota"}
	if diff := cmp.Diff(want, s.told); diff != "" {
		t.Errorf("-want +told:\n%s", diff)
	}
}

package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

func TestSentences(t *testing.T) {
	for want, clauses := range map[string][]string{
		"The ring stands. Pod a-0 is gone.":    {"the ring stands", "", "pod a-0 is gone."},
		"spec.replicas is 0: nobody is there.": {"spec.replicas is 0: nobody is there"},
		"orders-cache-1: ended.":               {"orders-cache-1: ended"},
		"kubectl logs on the pod.":             {"kubectl logs on the pod"},
		"":                                     {" "},
	} {
		if got := sentences(clauses...); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNames(t *testing.T) {
	for want, list := range map[string][]string{
		"none": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b, c and d": {"a", "b", "c", "d"}, "a, b, c and 2 more": {"a", "b", "c", "d", "e"},
	} {
		if got := names(list); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What is to be done is said, and not where else it is said.
func TestMeanings(t *testing.T) {
	for _, m := range v1alpha1.Meanings {
		said, action := meaning(m.Type, m.Status, m.Reason)
		if said != m.Meaning || strings.HasPrefix(action, "As for") || action == "" != (m.Action == "Nothing.") {
			t.Errorf("%+v: %q, %q", m, said, action)
		}
	}
	for _, kind := range []string{v1alpha1.Ready, v1alpha1.Stalled} {
		if said, action := meaning(kind, metav1.ConditionFalse, v1alpha1.ReasonCellNamespaceStuck); said == "" || action != "Remove the named objects or finalizers." {
			t.Errorf("%s: %q, %q", kind, said, action)
		}
	}
}

var epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func event(seconds int, message string, change func(*corev1.Event)) corev1.Event {
	at := metav1.NewTime(epoch.Add(time.Duration(seconds) * time.Second))
	e := corev1.Event{InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "a-0"}, Message: message}
	e.LastTimestamp = at
	if change != nil {
		e.LastTimestamp = metav1.Time{}
		change(&e)
	}
	return e
}

func TestEvents(t *testing.T) {
	at := func(s int) metav1.MicroTime { return metav1.NewMicroTime(epoch.Add(time.Duration(s) * time.Second)) }
	all := []corev1.Event{
		event(5, "twice", nil),
		event(3, "twice", nil),
		event(0, "series", func(e *corev1.Event) {
			e.EventTime, e.Series = at(1), &corev1.EventSeries{Count: 7, LastObservedTime: at(9)}
		}),
		event(0, "new form", func(e *corev1.Event) { e.EventTime = at(4) }),
		event(0, "no time", func(e *corev1.Event) { e.CreationTimestamp = metav1.NewTime(epoch) }),
		event(0, "counted", func(e *corev1.Event) { e.Count, e.LastTimestamp = 3, metav1.NewTime(epoch.Add(6*time.Second)) }),
		event(0, "never", func(*corev1.Event) {}),
	}
	list, left := events(all, 4)
	var got []string
	for _, e := range list {
		got = append(got, fmt.Sprintf("%s x%d at %d", e.Message, e.Count, int(e.Last.Sub(epoch).Seconds())))
	}
	if want := []string{"new form x1 at 4", "twice x2 at 5", "counted x3 at 6", "series x7 at 9"}; !slices.Equal(got, want) || left != 2 {
		t.Errorf("got %v and %d left out, want %v and 2", got, left, want)
	}
	if list, left := events(nil, 4); len(list) != 0 || left != 0 {
		t.Errorf("got %v, %d", list, left)
	}
}

func TestColour(t *testing.T) {
	e := &Explanation{Name: "a", Namespace: "shop", Verdict: Degraded, Pods: []Pod{{Name: "a-0", State: PodFailing, Why: "Failing Failing"}}}
	var plain, coloured bytes.Buffer
	if Text(&plain, e, TextOptions{}) != nil || Text(&coloured, e, TextOptions{Color: true}) != nil {
		t.Fatal("cannot be written")
	}
	if strings.Contains(plain.String(), "\x1b") || !strings.Contains(coloured.String(), "\x1b[31mFailing\x1b[0m") {
		t.Errorf("got %q and %q", plain.String(), coloured.String())
	}
	if stripped := strings.NewReplacer(string(red), "", off, "").Replace(coloured.String()); stripped != plain.String() {
		t.Errorf("colours move the columns: %q, without them %q", coloured.String(), plain.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, fmt.Errorf("no space left") }

func TestTextFails(t *testing.T) {
	if err := Text(full{}, &Explanation{}, TextOptions{}); err == nil {
		t.Error("a failed write was kept quiet")
	}
}

func TestExitCodes(t *testing.T) {
	last := -1
	for _, v := range []Verdict{Healthy, Progressing, Paused, Deleting, Degraded, Unavailable, Unknown} {
		code := v.ExitCode()
		if code <= last || code == 1 || code == 2 {
			t.Errorf("%s has code %d after %d", v, code, last)
		}
		last = code
	}
	if Verdict("").ExitCode() != Unknown.ExitCode() {
		t.Error("no verdict is taken for a good one")
	}
}

// The names of the form are an API of their own: all begin in lower case, and none is forgotten.
func TestFormIsLowerCamel(t *testing.T) {
	data, err := json.Marshal(Explanation{
		Ring: &Ring{Missing: []PodReason{{}}}, Next: &Next{}, Drains: []Drain{{}}, Cell: &Cell{Quota: &Quota{}},
		Pods: []Pod{{}}, Conditions: []Condition{{}}, Hints: []Hint{{}}, Events: []Event{{}}, Unreadable: []Unreadable{{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var form any
	if err := json.Unmarshal(data, &form); err != nil {
		t.Fatal(err)
	}
	lower(t, form)
}

func lower(t *testing.T, form any) {
	t.Helper()
	switch v := form.(type) {
	case map[string]any:
		for key, value := range v {
			if key[0] < 'a' || key[0] > 'z' || strings.ContainsAny(key, "_-") {
				t.Errorf("field %q", key)
			}
			lower(t, value)
		}
	case []any:
		for _, item := range v {
			lower(t, item)
		}
	}
}

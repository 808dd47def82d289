package explain

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// TextOptions are how an explanation is shown.
type TextOptions struct {
	// Color sets the verdict and what is wrong off by colour.
	Color bool
	// Pods is how many rows the table of pods has, DefaultPods if zero. If there are more, those that
	// serve are left out first.
	Pods int
}

// DefaultPods is how many rows the table of pods has.
const DefaultPods = 16

// Text writes the explanation for people: a screenful, the verdict first.
func Text(w io.Writer, e *Explanation, o TextOptions) error {
	if o.Pods == 0 {
		o.Pods = DefaultPods
	}
	t := &text{Explanation: e, options: o}
	t.line("%s/%s: %s", e.Namespace, e.Name, t.paint(e.Verdict.colour(), string(e.Verdict)))
	t.line("%s", oneLine(e.Summary))
	t.overview()
	t.podTable()
	t.conditionList()
	t.hintList()
	t.eventList()
	t.unreadList()
	_, err := w.Write(t.out.Bytes())
	return err
}

// text is an explanation half written.
type text struct {
	*Explanation
	out     bytes.Buffer
	options TextOptions
}

func (t *text) line(format string, args ...any) {
	t.out.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

func (t *text) overview() {
	if t.Ring == nil && len(t.Drains) == 0 && t.Cell == nil && t.Next == nil {
		return
	}
	t.line("")
	if r := t.Ring; r != nil {
		t.ringLines(r)
	}
	t.drainLines()
	if c := t.Cell; c != nil {
		t.cellLine(c)
	}
	if n := t.Next; n != nil && !strings.HasSuffix(t.Summary, n.Meaning) {
		t.line("Next    %s", oneLine(n.Meaning))
	}
}

func (t *text) drainLines() {
	var serving, over []string
	var least, most int64
	for _, d := range t.Drains {
		if d.LeftSeconds == 0 {
			over = append(over, d.Pod)
			continue
		}
		if len(serving) == 0 || d.LeftSeconds < least {
			least = d.LeftSeconds
		}
		most = max(most, d.LeftSeconds)
		serving = append(serving, d.Pod)
	}
	left := fmt.Sprintf("%d s", most)
	if least < most {
		left = fmt.Sprintf("%d to %d s", least, most)
	}
	if len(serving) > 0 {
		t.line("Drain   %s: out of the ring, with %s of grace left", names(serving), left)
	}
	if len(over) > 0 {
		t.line("Drain   %s: grace over", names(over))
	}
}

func (t *text) ringLines(r *Ring) {
	switch {
	case r.Version > 0:
		t.line("Ring    version %d, %s", r.Version, count(len(r.Members), "member", "members"))
	default:
		t.line("Ring    %s", oneLine(r.Trouble))
	}
	if r.Version > 0 && r.Trouble != "" {
		t.line("        %s", t.paint(yellow, oneLine(r.Trouble)))
	}
	for _, list := range []struct {
		what string
		pods []PodReason
	}{{"without", r.Missing}, {"still with", r.Stale}} {
		var pods []string
		for _, p := range list.pods {
			pods = append(pods, p.Pod)
		}
		if len(pods) > 0 && r.Version > 0 {
			t.line("        %s %s", list.what, names(pods))
		}
	}
}

func (t *text) cellLine(c *Cell) {
	if c.State != CellInPlace {
		t.line("Cell    %s: %s", c.Namespace, t.paint(yellow, oneLine(c.Why)))
		return
	}
	parts := []string{"namespace " + c.Namespace}
	if c.Policy != nil && !*c.Policy {
		parts = append(parts, t.paint(yellow, "no NetworkPolicy"))
	}
	if q := c.Quota; q != nil {
		parts = append(parts, fmt.Sprintf("quota: %s of %s pods, %s of %s memory", q.PodsUsed, q.PodsHard, q.MemoryUsed, q.MemoryHard))
	}
	t.line("Cell    %s", strings.Join(parts, ", "))
}

func (t *text) hintList() {
	if len(t.Hints) == 0 {
		return
	}
	t.line("\nWhat to do:")
	for _, h := range t.Hints {
		t.line("  %s %s", t.paint(yellow, "!"), oneLine(h.Problem))
		t.line("    %s", oneLine(h.Action))
	}
}

func (t *text) unreadList() {
	if len(t.Unreadable) == 0 {
		return
	}
	t.line("\nCould not be read:")
	for _, u := range t.Unreadable {
		t.line("  %s: %s", u.Kind, oneLine(u.Message))
	}
}

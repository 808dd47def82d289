package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// podTable lists the pods; of many, those that do not serve.
func (t *text) podTable() {
	if len(t.Pods) == 0 {
		return
	}
	rows, left := t.Pods, map[PodState]int{}
	if len(rows) > t.options.Pods {
		rows, left = mostTelling(rows, t.options.Pods)
	}
	t.line("")
	if len(rows) > 0 {
		t.podRows(rows)
	}
	for _, state := range slices.Sorted(maps.Keys(left)) {
		t.line("and %s %s", count(left[state], "pod", "pods"), state)
	}
}

// mostTelling are so many of the pods: first those with a trouble, last those that serve. It counts
// the others by their state.
func mostTelling(all []Pod, limit int) ([]Pod, map[PodState]int) {
	rank := map[colour]int{red: 0, yellow: 1, green: 2}
	rows := slices.DeleteFunc(slices.Clone(all), func(p Pod) bool { return p.State == PodServing })
	slices.SortStableFunc(rows, func(a, b Pod) int { return rank[a.State.colour()] - rank[b.State.colour()] })
	rows = rows[:min(len(rows), limit)]
	slices.SortFunc(rows, func(a, b Pod) int { return a.Ordinal - b.Ordinal })
	left := map[PodState]int{}
	for _, p := range all {
		left[p.State]++
	}
	for _, p := range rows {
		left[p.State]--
	}
	maps.DeleteFunc(left, func(_ PodState, n int) bool { return n == 0 })
	return rows, left
}

// podRows aligns the columns; the reasons, which are of any length, come last. Colours would count
// as width, so they are put in afterwards.
func (t *text) podRows(rows []Pod) {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "POD\tSTATE\tREADY\tIN RING\tRESTARTS\tAGE\tNODE\tWHY") //nolint:errcheck // it writes to memory
	for _, p := range rows {
		old, node := "-", "-"
		if p.Created != nil {
			old = age(t.AsOf.Time, p.Created.Time)
		}
		if p.Node != "" {
			node = p.Node
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t%s\n", p.Name, p.State, yesNo(p.Ready), yesNo(p.InRing), p.Restarts, old, node, shorten(oneLine(p.Why), 140)) //nolint:errcheck // it writes to memory
	}
	w.Flush() //nolint:errcheck,gosec // it writes to memory
	i := -1
	for line := range strings.Lines(table.String()) {
		line = strings.TrimRight(line, "\n")
		if i >= 0 {
			line = strings.Replace(line, " "+string(rows[i].State)+" ", " "+t.paint(rows[i].State.colour(), string(rows[i].State))+" ", 1)
		}
		t.line("%s", line)
		i++
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func (t *text) eventList() {
	if len(t.Events) == 0 {
		return
	}
	head := "\nEvents:"
	if t.EventsLeftOut > 0 {
		head = fmt.Sprintf("\nEvents, without %d older ones:", t.EventsLeftOut)
	}
	t.line("%s", head)
	for _, e := range t.Events {
		times := ""
		if e.Count > 1 {
			times = fmt.Sprintf(" x%d", e.Count)
		}
		kind := e.Type
		if kind == "Warning" {
			kind = t.paint(yellow, kind)
		}
		t.line("  %s ago%s  %s %s  %s: %s", age(t.AsOf.Time, e.Last.Time), times, kind, e.Reason, e.Object, shorten(oneLine(e.Message), 160))
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// shorten cuts a text to so many characters.
func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}

package v1alpha1_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

const page = "../../docs/conditions.md"

// The table of the documentation is the table of the code. UPDATE_GOLDEN=1 rewrites it.
func TestConditionsPageIsUpToDate(t *testing.T) {
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- begin table -->\n", "<!-- end table -->"
	head, rest, found := strings.Cut(string(data), begin)
	_, tail, found2 := strings.Cut(rest, end)
	if !found || !found2 {
		t.Fatalf("%s lacks the marks of the table", page)
	}
	want := head + begin + table() + end + tail
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(data) != want {
		t.Errorf("%s differs from v1alpha1.Meanings: run make golden", page)
	}
}

func table() string {
	var b strings.Builder
	b.WriteString("| Type | Status | Reason | It means | What to do |\n|---|---|---|---|---|\n")
	for _, m := range v1alpha1.Meanings {
		fmt.Fprintf(&b, "| %s | %s | `%s` | %s | %s |\n", m.Type, m.Status, m.Reason, m.Meaning, m.Action)
	}
	return b.String()
}

func TestMeaningsAreWellFormed(t *testing.T) {
	reason := regexp.MustCompile(`^[A-Z][A-Za-z]+$`)
	seen := map[string]bool{}
	for _, m := range v1alpha1.Meanings {
		id := fmt.Sprint(m.Type, m.Status, m.Reason)
		if seen[id] {
			t.Errorf("%s is listed twice", id)
		}
		seen[id] = true
		if !reason.MatchString(m.Reason) || m.Meaning == "" || m.Action == "" {
			t.Errorf("incomplete: %+v", m)
		}
	}
}

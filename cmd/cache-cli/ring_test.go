package main

import (
	"strings"
	"testing"
)

const (
	threeMembers = `{"version":7,"members":["orders-cache-0","orders-cache-1","orders-cache-2"]}`
	withGap      = `{"version":8,"members":["orders-cache-0","orders-cache-2"]}`
	scaledUp     = `{"version":9,"members":["orders-cache-0","orders-cache-1","orders-cache-2","orders-cache-3","orders-cache-4"]}`
	noMembers    = `{"version":10,"members":[]}`
)

// What a ring says, and what a change of it costs, needs no cluster.
func TestRingsOfFiles(t *testing.T) {
	outside(t)
	three, gap, five, none := file(t, threeMembers), file(t, withGap), file(t, scaledUp), file(t, noMembers)
	for name, args := range map[string][]string{
		"show":               {"ring", "show", three},
		"show empty":         {"ring", "show", none},
		"show json":          {"ring", "show", three, "-o", "json"},
		"show yaml":          {"ring", "show", gap, "-o", "yaml"},
		"diff lost":          {"ring", "diff", three, gap},
		"diff grown":         {"ring", "diff", three, five},
		"diff grown json":    {"ring", "diff", three, five, "-o", "json"},
		"diff emptied":       {"ring", "diff", three, none},
		"diff replicas":      {"ring", "diff", three, "--replicas", "2"},
		"diff without":       {"ring", "diff", three, "--without", "orders-cache-0"},
		"route":              {"route", "--ring", three, "foo", "user-1234", "snowman ☃"},
		"route json":         {"route", "--ring", three, "foo", "-o", "json"},
		"route yaml base64":  {"route", "--ring", three, "--base64", "/wA=", "-o", "yaml"},
		"route without ring": {"route", "--ring", none, "foo"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := call(t, "", args...)
			if code != 0 || stderr != "" {
				t.Errorf("exit %d, stderr %q", code, stderr)
			}
			golden(t, "ring "+name, stdout)
		})
	}
}

// What show prints as JSON is a ring document again.
func TestShownRingIsARing(t *testing.T) {
	_, shown, _ := call(t, threeMembers, "ring", "show", "-", "-o", "json")
	code, stdout, stderr := call(t, shown, "ring", "diff", "-", file(t, withGap))
	if code != 0 || !strings.HasPrefix(stdout, "- orders-cache-1\nversion 7 to 8: 0 joined, 1 left") {
		t.Errorf("exit %d, %q, %q", code, stdout, stderr)
	}
}

func TestAMalformedRingIsNamed(t *testing.T) {
	path := file(t, `{"version":1,"members":["a-1","a-0"]}`)
	code, _, stderr := call(t, "", "ring", "show", path)
	if code != exitFailed {
		t.Errorf("exit %d, want %d", code, exitFailed)
	}
	checkLine(t, stderr, path+`: malformed ring document: member "a-0" does not come in numeric order behind ordinal 1`)
}

func TestAnotherCacheStartsCold(t *testing.T) {
	was := publication{OwnerUID: "one"}
	was.Version, was.Members = 9, []string{"a-0"}
	is := publication{OwnerUID: "two"}
	is.Version, is.Members = 1, []string{"a-0"}
	d, err := compare(was, is)
	if err != nil || !d.Another || d.Moved != 0 {
		t.Errorf("got %+v, %v", d, err)
	}
	var text strings.Builder
	if err := d.describe(&text); err != nil || !strings.Contains(text.String(), "recreated") {
		t.Errorf("got %q, %v", &text, err)
	}
}

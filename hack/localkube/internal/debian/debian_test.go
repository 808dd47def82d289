package debian

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// installer plays apt-get: install works once update was called, and creates a file named as
// the package.
const installer = `#!/bin/sh
echo "$*" >> "$ROOT/calls"
[ "$DEBIAN_FRONTEND" = noninteractive ] || exit 9
case "$1" in
update) touch "$ROOT/lists" ;;
install) [ -e "$ROOT/lists" ] || { echo "E: Unable to locate package $4"; exit 100; }; touch "$ROOT/$4" ;;
esac
`

func TestInstall(t *testing.T) {
	tests := map[string]struct {
		lists   bool
		brings  string
		calls   []string
		wantErr string
	}{
		"with fresh lists":                     {true, "tool", []string{"install"}, ""},
		"lists are fetched if needed":          {false, "tool", []string{"install", "update", "install"}, ""},
		"a package that brings something else": {true, "other", []string{"install"}, "still missing"},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			root := t.TempDir()
			t.Setenv("ROOT", root)
			t.Setenv("PATH", root+":"+os.Getenv("PATH"))
			if err := os.WriteFile(filepath.Join(root, "apt-get"), []byte(installer), 0o755); err != nil {
				t.Fatal(err)
			}
			if tt.lists {
				if err := os.WriteFile(filepath.Join(root, "lists"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			tool := Tool{Name: "tool", Package: "tool", Present: func() bool {
				_, err := os.Stat(filepath.Join(root, tt.brings))
				return err == nil && tt.brings == "tool"
			}}
			var out bytes.Buffer
			err := Install(t.Context(), []Tool{tool}, &out)
			if (err == nil) != (tt.wantErr == "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("got %v", err)
			}
			if !strings.Contains(out.String(), "installing Debian packages: tool") {
				t.Errorf("said %q", &out)
			}
			raw, _ := os.ReadFile(filepath.Join(root, "calls"))
			var calls []string
			for line := range strings.Lines(string(raw)) {
				calls = append(calls, strings.Fields(line)[0])
			}
			if !slices.Equal(calls, tt.calls) {
				t.Errorf("called apt-get %q, want %q", calls, tt.calls)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	there, gone := func() bool { return true }, func() bool { return false }
	tests := map[string]struct {
		tools    []Tool
		names    []string
		packages []string
	}{
		"all there":            {[]Tool{{"a", "pa", there}}, []string{}, []string{}},
		"one missing":          {[]Tool{{"a", "pa", there}, {"b", "pb", gone}}, []string{"b"}, []string{"pb"}},
		"two from one package": {[]Tool{{"b", "p", gone}, {"a", "p", gone}}, []string{"b", "a"}, []string{"p"}},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			missing := Missing(tt.tools)
			if got := Names(missing); !slices.Equal(got, tt.names) {
				t.Errorf("names %q, want %q", got, tt.names)
			}
			if got := Packages(missing); !slices.Equal(got, tt.packages) {
				t.Errorf("packages %q, want %q", got, tt.packages)
			}
		})
	}
}

func TestTail(t *testing.T) {
	if got := tail("1\n2\n3\n4\n5\n6\n7\n"); got != "3\n4\n5\n6\n7" {
		t.Errorf("got %q", got)
	}
}

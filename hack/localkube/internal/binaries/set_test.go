package binaries

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// One program of a made-up checkout, served by a mirror or built.
func TestSetDownloadsElseBuilds(t *testing.T) {
	components := checkout(t)
	archive := pack(t, map[string]string{"coredns": "downloaded"})
	name := corednsRelease("coredns", "v1.2.3").url[len("https:/"):]
	good := mirror{name: content(archive), name + ".sha256": content([]byte(sum(archive)))}
	bad := mirror{name: content(archive), name + ".sha256": content([]byte(sum([]byte("x"))))}
	tests := map[string]struct {
		files  mirror
		source string
		fails  string
	}{
		"a good mirror":       {good, "downloaded", ""},
		"an empty mirror":     {mirror{}, "built", ""},
		"a mirror with a lie": {bad, "", "wrong checksum"},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			web := httptest.NewServer(tt.files)
			defer web.Close()
			t.Setenv(MirrorVariable, web.URL)
			t.Setenv(assetsVariable, "")
			dir := filepath.Join(t.TempDir(), "bin")
			set, err := Open(t.Context(), components, dir, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			paths, err := set.Ensure(t.Context(), []string{"coredns"})
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("got %v", err)
				}
				expectEmpty(t, dir)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(paths["coredns"]); err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("%v, %v", info, err)
			}
			if got := set.cache.manifest()["coredns"].Source; got != tt.source {
				t.Errorf("source %q, want %q", got, tt.source)
			}
			// Warm: neither mirror nor compiler is asked.
			web.Close()
			var out bytes.Buffer
			set.out = &out
			if _, err := set.Ensure(t.Context(), []string{"coredns"}); err != nil || out.Len() > 0 {
				t.Errorf("warm: %v, %q", err, &out)
			}
		})
	}
}

func TestTwoBuildersWait(t *testing.T) {
	c := cache{dir: filepath.Join(t.TempDir(), "bin")}
	unlock, err := c.lock(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var out bytes.Buffer
	if _, err := c.lock(ctx, &out); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(out.String(), "waiting") {
		t.Errorf("got %v, said %q", err, &out)
	}
	unlock()
	again, err := c.lock(t.Context(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

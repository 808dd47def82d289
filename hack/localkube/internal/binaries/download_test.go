package binaries

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	toolURL = "https://files.example/v1/tool"
	packURL = "https://files.example/v1/pack.tar.gz"
)

// mirror serves files by host and path, as a mirror does.
type mirror map[string]http.HandlerFunc

func (m mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if serve, ok := m[r.URL.Path]; ok {
		serve(w, r)
		return
	}
	http.NotFound(w, r)
}

func content(b []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(b) }
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

func pack(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type fetchTest struct {
	files     mirror
	release   release
	want      string
	wantError string
	// build is set where building is the way out.
	build bool
}

func fetchTests(t *testing.T) map[string]fetchTest {
	t.Helper()
	program := []byte("a program")
	archive := pack(t, map[string]string{"./bin/tool": "a packed program", "bin/other": "another"})
	plain := release{url: toolURL, sums: toolURL + ".sha256"}
	packed := release{url: packURL, sums: "https://files.example/v1/SHA256SUMS", member: "bin/tool"}
	truncated := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write(program)
	}
	stalled := func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		if r.Method == http.MethodGet {
			<-r.Context().Done()
		}
	}
	file, sums := "/files.example/v1/tool", "/files.example/v1/tool.sha256"
	return map[string]fetchTest{
		"a program with its bare sum": {
			files:   mirror{file: content(program), sums: content([]byte(sum(program)))},
			release: plain, want: "a program",
		},
		"an archive with a list of sums": {
			files: mirror{
				"/files.example/v1/pack.tar.gz": content(archive),
				"/files.example/v1/SHA256SUMS":  content([]byte(sum(program) + "  other.tar.gz\n" + sum(archive) + " *pack.tar.gz\n")),
			},
			release: packed, want: "a packed program",
		},
		"a wrong checksum is an error that names both": {
			files:   mirror{file: content([]byte("a forgery")), sums: content([]byte(sum(program) + "  tool"))},
			release: plain, wantError: "got sha256 " + sum([]byte("a forgery")) + ", its publisher says " + sum(program),
		},
		"a checksum file without the file is an error": {
			files:   mirror{file: content(program), sums: content([]byte(sum(program) + "  other\n"))},
			release: plain, wantError: "no sha256 sum of tool",
		},
		"an archive without the program is an error": {
			files: mirror{
				"/files.example/v1/pack.tar.gz": content(archive),
				"/files.example/v1/SHA256SUMS":  content([]byte(sum(archive))),
			},
			release: release{url: packURL, sums: packed.sums, member: "bin/missing"}, wantError: "no bin/missing",
		},
		"a missing file":      {files: mirror{sums: content([]byte(sum(program)))}, release: plain, wantError: "404", build: true},
		"a missing sum":       {files: mirror{file: content(program)}, release: plain, wantError: "404", build: true},
		"a truncated file":    {files: mirror{file: truncated, sums: content([]byte(sum(program)))}, release: plain, wantError: "unexpected EOF", build: true},
		"a server that hangs": {files: mirror{file: stalled, sums: content([]byte(sum(program)))}, release: plain, wantError: "canceled", build: true},
	}
}

func TestFetch(t *testing.T) {
	for title, tt := range fetchTests(t) {
		t.Run(title, func(t *testing.T) {
			web := httptest.NewServer(tt.files)
			defer web.Close()
			d := newDownloader(web.URL, t.TempDir(), io.Discard)
			d.stallTime = 200 * time.Millisecond
			got, err := d.fetch(t.Context(), "tool", tt.release)
			if tt.wantError == "" {
				if raw, _ := os.ReadFile(got); err != nil || string(raw) != tt.want {
					t.Errorf("got %q, %v", raw, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.wantError) {
				t.Errorf("got %v, want %q in it", err, tt.wantError)
			}
			if errors.Is(err, errUnavailable) != tt.build {
				t.Errorf("building is the way out: %t, want %t (%v)", !tt.build, tt.build, err)
			}
			if tt.release.member == "" {
				expectEmpty(t, d.dir)
			}
		})
	}
}

func TestUnreachableMirrorCostsOneProbe(t *testing.T) {
	asked := 0
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked++
		<-r.Context().Done()
	}))
	defer web.Close()
	d := newDownloader(web.URL, t.TempDir(), io.Discard)
	d.probeTime = 50 * time.Millisecond
	for range 3 {
		_, err := d.fetch(t.Context(), "tool", release{url: toolURL, sums: toolURL + ".sha256"})
		if !errors.Is(err, errUnavailable) {
			t.Errorf("got %v", err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

func TestMirrorOff(t *testing.T) {
	d := newDownloader("off", t.TempDir(), io.Discard)
	if _, err := d.fetch(t.Context(), "tool", release{url: toolURL}); !errors.Is(err, errUnavailable) {
		t.Errorf("got %v", err)
	}
}

func expectEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	left = slices.DeleteFunc(left, func(e os.DirEntry) bool { return e.Name() == ".lock" })
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

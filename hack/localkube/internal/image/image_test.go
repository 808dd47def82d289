package image

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// program writes the smallest file that passes for a Linux program; with an interpreter it
// passes for one that is linked dynamically.
func program(t *testing.T, interpreter bool) string {
	t.Helper()
	var raw [64 + 56]byte
	copy(raw[:], "\x7fELF\x02\x01\x01")
	le := binary.LittleEndian
	le.PutUint16(raw[16:], 2)  // ET_EXEC
	le.PutUint16(raw[18:], 62) // EM_X86_64
	le.PutUint32(raw[20:], 1)
	le.PutUint64(raw[32:], 64) // program headers follow
	le.PutUint16(raw[52:], 64)
	le.PutUint16(raw[54:], 56)
	le.PutUint16(raw[56:], 1)
	kind := uint32(1) // PT_LOAD
	if interpreter {
		kind = 3 // PT_INTERP
	}
	le.PutUint32(raw[64:], kind)
	file := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(file, raw[:], 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestWriteIsReproducible(t *testing.T) {
	file := program(t, false)
	var archives [2]bytes.Buffer
	for i := range archives {
		if err := Write(Options{Ref: "server:1", Binary: file, User: DefaultUser}, &archives[i]); err != nil {
			t.Fatal(err)
		}
		// The program's own time must not get in.
		if err := os.Chtimes(file, epoch, epoch); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(archives[0].Bytes(), archives[1].Bytes()) {
		t.Error("two archives of one program differ")
	}
}

func TestContent(t *testing.T) {
	var archive bytes.Buffer
	err := Write(Options{Ref: "server:1", Binary: program(t, false), Entrypoint: "/opt/app/run", User: "1000:1000"}, &archive)
	if err != nil {
		t.Fatal(err)
	}
	ref, err := name.NewTag("server:1")
	if err != nil {
		t.Fatal(err)
	}
	img, err := tarball.Image(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }, &ref)
	if err != nil {
		t.Fatal(err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "1000:1000" || strings.Join(config.Config.Entrypoint, " ") != "/opt/app/run" || config.OS != "linux" {
		t.Errorf("configuration %+v", config.Config)
	}
	layers, err := img.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	content, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	modes := list(t, content)
	for path, mode := range map[string]int64{"tmp/": 0o1777, "etc/passwd": 0o644, "etc/group": 0o644, "opt/": 0o755, "opt/app/": 0o755, "opt/app/run": 0o755} {
		if modes[path] != mode {
			t.Errorf("%s has mode %o, want %o", path, modes[path], mode)
		}
	}
}

func list(t *testing.T, content io.Reader) map[string]int64 {
	t.Helper()
	modes := map[string]int64{}
	files := tar.NewReader(content)
	for {
		h, err := files.Next()
		if errors.Is(err, io.EOF) {
			return modes
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(epoch) {
			t.Errorf("%s carries the time %s", h.Name, h.ModTime)
		}
		if _, twice := modes[h.Name]; twice {
			t.Errorf("%s is there twice", h.Name)
		}
		modes[h.Name] = h.Mode
	}
}

func TestRefusals(t *testing.T) {
	text := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		o    Options
		want string
	}{
		"a dynamic program":       {Options{Ref: "a:1", Binary: program(t, true)}, "CGO_ENABLED=0"},
		"a script":                {Options{Ref: "a:1", Binary: text}, "not a Linux program"},
		"a missing program":       {Options{Ref: "a:1", Binary: "/nowhere/a"}, "/nowhere/a"},
		"a bad name":              {Options{Ref: "A B", Binary: program(t, false)}, "image name"},
		"a relative entrypoint":   {Options{Ref: "a:1", Binary: program(t, false), Entrypoint: "run"}, "absolute path"},
		"an entrypoint with dots": {Options{Ref: "a:1", Binary: program(t, false), Entrypoint: "/../run"}, "absolute path"},
		"the root as entrypoint":  {Options{Ref: "a:1", Binary: program(t, false), Entrypoint: "/"}, "absolute path"},
	}
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			if err := Write(tt.o, io.Discard); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want something about %q", err, tt.want)
			}
		})
	}
}

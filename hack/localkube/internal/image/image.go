// Package image makes a container image from one static program, without a container engine.
// The same program gives the same image, byte for byte: times are fixed and nothing of the
// machine goes in but its list of trusted authorities, if it has one.
package image

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"runtime"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Options describe an image.
type Options struct {
	// Ref is the image's name, with a tag.
	Ref string
	// Binary is the program on this machine.
	Binary string
	// Entrypoint is its path in the image; empty means its own name in the root directory.
	Entrypoint string
	// User that the program runs as, as UID:GID.
	User string
}

// DefaultUser is the customary non-root user of small images.
const DefaultUser = "65532:65532"

// epoch is the time of everything in an image.
var epoch = time.Unix(0, 0).UTC()

// Write builds the image and writes it as an archive that any container engine loads.
func Write(o Options, w io.Writer) error {
	ref, err := name.NewTag(o.Ref)
	if err != nil {
		return fmt.Errorf("image name %q: %w", o.Ref, err)
	}
	img, err := Build(o)
	if err != nil {
		return err
	}
	if err := tarball.Write(ref, img, w); err != nil {
		return fmt.Errorf("write the image: %w", err)
	}
	return nil
}

// Build makes the image.
func Build(o Options) (v1.Image, error) {
	program, err := readStatic(o.Binary)
	if err != nil {
		return nil, err
	}
	if o.Entrypoint == "" {
		o.Entrypoint = "/" + path.Base(o.Binary)
	}
	if !path.IsAbs(o.Entrypoint) || path.Clean(o.Entrypoint) != o.Entrypoint || o.Entrypoint == "/" {
		return nil, fmt.Errorf("entrypoint %q: give a clean absolute path such as /server", o.Entrypoint)
	}
	content, err := layerTar(program, o.Entrypoint)
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w", o.Binary, err)
	}
	// Not compressed: it goes no further than this machine, and loading shall not be waited for.
	layer := static.NewLayer(content, types.DockerUncompressedLayer)
	img, err := mutate.Append(empty.Image, mutate.Addendum{Layer: layer, History: v1.History{
		Created: v1.Time{Time: epoch}, CreatedBy: "localkube",
	}})
	if err != nil {
		return nil, fmt.Errorf("add the image's layer: %w", err)
	}
	config, err := img.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("read the image's configuration: %w", err)
	}
	config.Architecture, config.OS, config.Created = runtime.GOARCH, "linux", v1.Time{Time: epoch}
	config.Config = v1.Config{
		Entrypoint: []string{o.Entrypoint}, User: o.User, WorkingDir: "/",
		Env: []string{"PATH=/", "SSL_CERT_FILE=" + authorities},
	}
	return mutate.ConfigFile(img, config)
}

// readStatic refuses a program that needs a dynamic linker: an image without one would fail
// with "no such file or directory", which misleads.
func readStatic(file string) ([]byte, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	exe, err := elf.NewFile(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%s is not a Linux program: %w", file, err)
	}
	for _, part := range exe.Progs {
		if part.Type == elf.PT_INTERP {
			return nil, fmt.Errorf("%s is linked dynamically: build it with CGO_ENABLED=0", file)
		}
	}
	return raw, nil
}

const authorities = "/etc/ssl/certs/ca-certificates.crt"

type fileEntry struct {
	path    string
	mode    int64
	content []byte
}

func layerTar(program []byte, entrypoint string) ([]byte, error) {
	entries := []fileEntry{
		{path: "tmp/", mode: 0o1777},
		{path: "etc/", mode: 0o755},
		{path: "etc/passwd", mode: 0o644, content: []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/tmp:/sbin/nologin\n")},
		{path: "etc/group", mode: 0o644, content: []byte("root:x:0:\nnonroot:x:65532:\n")},
	}
	bundle, err := os.ReadFile(authorities)
	if err == nil {
		entries = append(entries, directories(authorities)...)
		entries = append(entries, fileEntry{path: authorities[1:], mode: 0o644, content: bundle})
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	entries = append(entries, directories(entrypoint)...)
	entries = append(entries, fileEntry{path: entrypoint[1:], mode: 0o755, content: program})
	return pack(entries)
}

// directories are those above a file.
func directories(file string) []fileEntry {
	var out []fileEntry
	parts := strings.Split(path.Dir(file)[1:], "/")
	for i := range parts {
		if dir := strings.Join(parts[:i+1], "/"); dir != "" {
			out = append(out, fileEntry{path: dir + "/", mode: 0o755})
		}
	}
	return out
}

func pack(entries []fileEntry) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.path] {
			continue
		}
		seen[e.path] = true
		h := &tar.Header{Name: e.path, Mode: e.mode, Size: int64(len(e.content)), ModTime: epoch, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if strings.HasSuffix(e.path, "/") {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

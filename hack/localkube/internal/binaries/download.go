package binaries

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/progress"
)

// MirrorVariable overrides where releases come from: the base URL of a file server with the
// layout BASE/<host>/<path>, or "off" for none at all.
const MirrorVariable = "LOCALKUBE_MIRROR"

// errUnavailable marks a download that did not come to an end; building is the way out. A wrong
// checksum is not among these: someone should look at that.
var errUnavailable = errors.New("not available")

// downloader fetches releases into a directory of its own.
type downloader struct {
	mirror string
	dir    string
	client *http.Client
	// probeTime and stallTime bound the wait for a first answer, and for the next bytes.
	probeTime, stallTime time.Duration
	out                  io.Writer

	reachable map[string]error
	archives  map[string]string
}

func newDownloader(mirror, dir string, out io.Writer) *downloader {
	return &downloader{
		mirror: mirror, dir: dir, client: http.DefaultClient, out: out,
		probeTime: 2 * time.Second, stallTime: 15 * time.Second,
		reachable: map[string]error{}, archives: map[string]string{},
	}
}

// fetch downloads one program, checked, and returns its temporary file.
func (d *downloader) fetch(ctx context.Context, name string, r release) (string, error) {
	if d.mirror == "off" {
		return "", fmt.Errorf("%w: %s=off", errUnavailable, MirrorVariable)
	}
	if err := d.probe(ctx, r.url); err != nil {
		return "", err
	}
	file, err := d.verified(ctx, r)
	if err != nil {
		return "", fmt.Errorf("download %s: %w", name, err)
	}
	if r.member == "" {
		return file, nil
	}
	return extract(file, r.member, d.dir)
}

// verified downloads a file once and compares its sum with the publisher's.
func (d *downloader) verified(ctx context.Context, r release) (string, error) {
	if file, ok := d.archives[r.url]; ok {
		return file, nil
	}
	stop := progress.Report(d.out, "downloading "+d.locate(r.url))
	defer stop()
	sums, err := d.get(ctx, r.sums, io.Discard, 1<<20)
	if err != nil {
		return "", err
	}
	want, err := findSum(sums, path.Base(r.url))
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.sums, err)
	}
	file, err := os.CreateTemp(d.dir, "file-")
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := d.get(ctx, r.url, io.MultiWriter(file, hash), 0); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		return "", errors.Join(
			fmt.Errorf("wrong checksum of %s: got sha256 %s, its publisher says %s", d.locate(r.url), got, want),
			os.Remove(file.Name()))
	}
	d.archives[r.url] = file.Name()
	return file.Name(), nil
}

// probe asks each host once whether it answers at all, so that a machine without a way out
// loses two seconds and not minutes.
func (d *downloader) probe(ctx context.Context, address string) error {
	u, err := url.Parse(d.locate(address))
	if err != nil {
		return fmt.Errorf("%s: %w", address, err)
	}
	if err, known := d.reachable[u.Host]; known {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, d.probeTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, u.String(), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", u.Host, err)
	}
	resp, err := d.client.Do(req)
	if err != nil {
		err = fmt.Errorf("%w: %s does not answer", errUnavailable, u.Host)
	} else {
		_ = resp.Body.Close()
	}
	d.reachable[u.Host] = err
	return err
}

// get streams a URL into w, and also returns its start as text, up to keep bytes. It gives up
// when nothing comes for a while, however much came before.
func (d *downloader) get(ctx context.Context, address string, w io.Writer, keep int64) (string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watchdog := time.AfterFunc(d.stallTime, cancel)
	defer watchdog.Stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.locate(address), nil)
	if err != nil {
		return "", err
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return "", fmt.Errorf("%w: %w", errUnavailable, err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%w: %s answers %s", errUnavailable, req.URL, resp.Status)
	}
	var head strings.Builder
	if _, err := io.CopyN(&head, resp.Body, keep); err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("%w: %s: %w", errUnavailable, req.URL, err)
	}
	body := &patient{from: resp.Body, fed: func() { watchdog.Reset(d.stallTime) }}
	if _, err := io.Copy(w, body); err != nil {
		return "", fmt.Errorf("%w: %s: %w", errUnavailable, req.URL, err)
	}
	return head.String(), nil
}

// patient tells of every read that brought something.
type patient struct {
	from io.Reader
	fed  func()
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	if n > 0 {
		p.fed()
	}
	return n, err
}

// locate maps a publisher's URL onto the mirror.
func (d *downloader) locate(address string) string {
	if d.mirror == "" {
		return address
	}
	return strings.TrimSuffix(d.mirror, "/") + "/" + strings.TrimPrefix(address, "https://")
}

// findSum reads a checksum file: a bare sum, or the line that names the file.
func findSum(text, file string) (string, error) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		bare := len(fields) == 1
		named := len(fields) == 2 && filepath.Base(strings.TrimPrefix(fields[1], "*")) == file
		if (bare || named) && len(fields[0]) == 2*sha256.Size {
			return strings.ToLower(fields[0]), nil
		}
	}
	return "", fmt.Errorf("no sha256 sum of %s in it", file)
}

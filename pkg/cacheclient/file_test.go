package cacheclient_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// mount is a directory as a kubelet fills it: files behind a link to the present generation.
type mount struct {
	t          *testing.T
	path       string
	generation int
}

// swap brings a new generation, as the kubelet does: atomically, and the old one is removed.
func (m *mount) swap(files map[string]string) {
	m.t.Helper()
	m.generation++
	name := fmt.Sprintf("..2030_%d", m.generation)
	check(m.t, os.Mkdir(filepath.Join(m.path, name), 0o755))
	for file, text := range files {
		check(m.t, os.WriteFile(filepath.Join(m.path, name, file), []byte(text), 0o600))
		_ = os.Symlink(filepath.Join("..data", file), filepath.Join(m.path, file))
	}
	check(m.t, os.Symlink(name, filepath.Join(m.path, "..data_tmp")))
	check(m.t, os.Rename(filepath.Join(m.path, "..data_tmp"), filepath.Join(m.path, "..data")))
	if m.generation > 1 {
		check(m.t, os.RemoveAll(filepath.Join(m.path, fmt.Sprintf("..2030_%d", m.generation-1))))
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// filesOf are the files of a ring whose members and owner tell its version.
func filesOf(version int) map[string]string {
	return map[string]string{
		"owner-uid": fmt.Sprintf("uid-%d", version),
		"ring.json": fmt.Sprintf(`{"version":%d,"members":["a-%d"]}`, version, version%1000),
	}
}

// polled is a source at work: what it published, without repetitions, and its last trouble.
type polled struct {
	mu        sync.Mutex
	published []cacheclient.Snapshot
	trouble   string
}

func poll(t *testing.T, directory string) *polled {
	t.Helper()
	p := &polled{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	source := cacheclient.File{Directory: directory, Interval: time.Millisecond, Trouble: func(err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.trouble = err.Error()
	}}
	go func() {
		ended <- source.Run(ctx, func(s cacheclient.Snapshot) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.trouble = ""
			if n := len(p.published); n == 0 || !cmp.Equal(p.published[n-1], s) {
				p.published = append(p.published, s)
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return p
}

// comes waits for trouble, and for how many rings were published until then.
func (p *polled) comes(t *testing.T, trouble string, published int) {
	t.Helper()
	eventually(t, fmt.Sprintf("trouble %q after %d rings", trouble, published), func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return (trouble == "") == (p.trouble == "") && strings.Contains(p.trouble, trouble) && len(p.published) == published
	})
}

// A mount is waited for, followed, and survived when it is spoilt or gone.
func TestFileFollowsAMount(t *testing.T) {
	m := &mount{t: t, path: filepath.Join(t.TempDir(), "mount")}
	p := poll(t, m.path)
	p.comes(t, "no such file or directory", 0)
	check(t, os.Mkdir(m.path, 0o755))
	p.comes(t, "owner-uid", 0)
	m.swap(filesOf(1))
	p.comes(t, "", 1)
	m.swap(filesOf(2))
	p.comes(t, "", 2)
	for trouble, files := range map[string]map[string]string{
		"numeric order":                      {"owner-uid": "uid", "ring.json": `{"version":3,"members":["a-1","a-0"]}`},
		"ring.json: malformed ring document": {"owner-uid": "uid", "ring.json": ""},
		"no owner's UID":                     {"owner-uid": " \n", "ring.json": `{"version":3,"members":[]}`},
		"owner-uid has more than 256 bytes":  {"owner-uid": strings.Repeat("u", 257), "ring.json": `{"version":3,"members":[]}`},
		"ring.json has more than":            {"owner-uid": "uid", "ring.json": strings.Repeat(" ", ring.MaxDocumentBytes+1)},
		"ring.json: no such file":            {"owner-uid": "uid"},
		"owner-uid: no such file":            {"ring.json": `{"version":3,"members":[]}`},
	} {
		m.swap(files)
		p.comes(t, trouble, 2)
	}
	check(t, os.RemoveAll(m.path))
	p.comes(t, "no such file or directory", 2)
	check(t, os.Mkdir(m.path, 0o755))
	m.generation = 0
	m.swap(filesOf(4))
	p.comes(t, "", 3)
	want := []cacheclient.Snapshot{fileSnapshot(1), fileSnapshot(2), fileSnapshot(4)}
	if diff := cmp.Diff(want, p.published); diff != "" {
		t.Errorf("-want +published:\n%s", diff)
	}
}

func fileSnapshot(version int) cacheclient.Snapshot {
	return cacheclient.Snapshot{Owner: fmt.Sprintf("uid-%d", version), Ring: ring.Document{
		Version: int64(version), Members: []string{fmt.Sprintf("a-%d", version%1000)},
	}}
}

// However the generations change while it looks, it never takes the owner of one and the ring of
// another.
func TestFileNeverMixesGenerations(t *testing.T) {
	m := &mount{t: t, path: t.TempDir()}
	m.swap(filesOf(1))
	p := poll(t, m.path)
	version := 1
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		version++
		m.swap(filesOf(version))
	}
	eventually(t, "the last generation", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return cmp.Equal(p.published[len(p.published)-1], fileSnapshot(version))
	})
	for _, s := range p.published {
		if want := fileSnapshot(int(s.Ring.Version)); !cmp.Equal(s, want) {
			t.Errorf("published %v, a mixture", s)
		}
	}
	t.Logf("saw %d of %d generations", len(p.published), version)
}

// A plain directory does as well; what is no file in it is not waited for, and links, which might
// lead to two generations, are not followed.
func TestFileReadsAPlainDirectory(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "ring.json")
	check(t, os.WriteFile(filepath.Join(directory, "owner-uid"), []byte("uid-7\n"), 0o600))
	check(t, syscall.Mkfifo(path, 0o600))
	p := poll(t, directory)
	p.comes(t, "ring.json is not a regular file", 0)
	check(t, os.Remove(path))
	check(t, os.Symlink("/dev/zero", path))
	p.comes(t, "ring.json is not a regular file", 0)
	check(t, os.WriteFile(path+".new", []byte(filesOf(7)["ring.json"]), 0o600))
	check(t, os.Rename(path+".new", path))
	p.comes(t, "", 1)
	if diff := cmp.Diff([]cacheclient.Snapshot{fileSnapshot(7)}, p.published); diff != "" {
		t.Errorf("-want +published:\n%s", diff)
	}
}

func TestFileNeedsADirectory(t *testing.T) {
	for want, f := range map[string]cacheclient.File{
		"File.Directory is required": {},
		"File.Interval is negative":  {Directory: t.TempDir(), Interval: -1},
	} {
		if err := f.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

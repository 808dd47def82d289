package cacheclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/ring"
)

const (
	// The files are named after the keys of the ring's ConfigMap.
	ringFile  = "ring.json"
	ownerFile = "owner-uid"
	// present is the kubelet's link to the present generation of a mounted ConfigMap.
	present = "..data"
	// maxOwner bounds the owner's UID; a real one has 36 bytes.
	maxOwner = 256
)

// File is a source that polls the directory where the ring's ConfigMap is mounted. A kubelet
// brings a new ring within a minute and a half or so: give the cache a grace above that.
//
// A directory or file that is missing or malformed, at the start or later, is waited for; the
// last good ring stays. Both files are always of one generation of the mount. A plain directory,
// without the kubelet's links, is read as it stands; rename files into it to change it.
type File struct {
	// Directory is where the files ring.json and owner-uid are. Required.
	Directory string
	// Interval is the time between two looks; 0 means a second.
	Interval time.Duration
	// Trouble, if not nil, is told of every look that found no good ring. It must not block.
	Trouble func(error)
}

// Run publishes what it finds until ctx ends. It fails only if no directory is named.
func (f File) Run(ctx context.Context, publish func(Snapshot)) error {
	if f.Directory == "" {
		return errors.New("cacheclient: File.Directory is required: the directory where the ring's ConfigMap is mounted")
	}
	setDefault(&f.Interval, time.Second)
	if f.Interval < 0 {
		return fmt.Errorf("cacheclient: File.Interval is negative: %s", f.Interval)
	}
	tick := time.NewTicker(f.Interval)
	defer tick.Stop()
	for {
		if s, err := f.look(); err == nil {
			publish(s)
		} else if f.Trouble != nil {
			f.Trouble(fmt.Errorf("ring in directory %s: %w", f.Directory, err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// look reads one generation. An opened directory stays the one it was when the link to it moves
// on; when the kubelet has removed it, its files are missing and the next look finds the new one.
func (f File) look() (Snapshot, error) {
	path := filepath.Join(f.Directory, present)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		path = f.Directory
	}
	generation, err := os.OpenRoot(path)
	if err != nil {
		return Snapshot{}, err
	}
	defer generation.Close() //nolint:errcheck // it was only read
	owner, err := readUpTo(generation, ownerFile, maxOwner)
	if err != nil {
		return Snapshot{}, err
	}
	text, err := readUpTo(generation, ringFile, ring.MaxDocumentBytes)
	if err != nil {
		return Snapshot{}, err
	}
	published, err := ring.ReadPublished(strings.TrimSpace(string(owner)), text)
	if err != nil {
		return Snapshot{}, fmt.Errorf("%s and %s: %w", ownerFile, ringFile, err)
	}
	return published, nil
}

func readUpTo(directory *os.Root, name string, most int64) ([]byte, error) {
	// A pipe would be waited for, and a link may lead to another generation.
	if info, err := directory.Lstat(name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: put one there", name)
	}
	file, err := directory.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", name, most)
	}
	return data, err
}

package binaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Set resolves programs for one checkout.
type Set struct {
	components string
	pins       pins
	cache      cache
	out        io.Writer
}

// Open reads the pins under components. An empty dir means the user's cache, where each set of
// pins has a directory of its own.
func Open(ctx context.Context, components, dir string, out io.Writer) (*Set, error) {
	p, err := readPins(ctx, components)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no user cache directory (%w): give --bin DIR", err)
		}
		dir = filepath.Join(user, "distributed-cache", "bin", p.hash())
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("--bin %q: %w", dir, err)
	}
	return &Set{components: components, pins: p, cache: cache{dir: dir}, out: out}, nil
}

// Dir is where the programs are kept.
func (s *Set) Dir() string { return s.cache.dir }

// Ensure brings the named programs and returns their paths.
func (s *Set) Ensure(ctx context.Context, names []string) (map[string]string, error) {
	found := map[string]string{}
	var missing []program
	cached := 0
	for _, prog := range programs {
		if !slices.Contains(names, prog.name) {
			continue
		}
		if path, ok := given(ctx, prog.name, s.pins.version[prog.name]); ok {
			_, _ = fmt.Fprintf(s.out, "%s: given by %s\n", prog.name, assetsVariable)
			found[prog.name] = path
		} else if s.cache.has(prog.name, s.pins.key[prog.name]) {
			cached++
			found[prog.name] = s.cache.path(prog.name)
		} else {
			missing = append(missing, prog)
		}
	}
	if cached > 0 && len(names) > 1 {
		_, _ = fmt.Fprintf(s.out, "%d programs from the cache %s\n", cached, s.cache.dir)
	}
	if len(missing) == 0 {
		return found, nil
	}
	if err := s.bring(ctx, missing); err != nil {
		return nil, err
	}
	for _, prog := range missing {
		found[prog.name] = s.cache.path(prog.name)
	}
	return found, nil
}

// bring fills the cache, alone.
func (s *Set) bring(ctx context.Context, missing []program) error {
	unlock, err := s.cache.lock(ctx, s.out)
	if err != nil {
		return err
	}
	defer unlock()
	s.cache.sweep()
	// Beside the programs, so that a rename moves a finished one in.
	temp, err := os.MkdirTemp(s.cache.dir, tempPrefix)
	if err != nil {
		return fmt.Errorf("create a temporary directory: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	from := newDownloader(os.Getenv(MirrorVariable), temp, s.out)
	announced := false
	for _, prog := range missing {
		if s.cache.has(prog.name, s.pins.key[prog.name]) {
			continue // Someone else brought it while we waited.
		}
		done, err := s.download(ctx, from, prog)
		if err != nil {
			return err
		}
		if done {
			continue
		}
		if prog.name == programs[0].name && !announced {
			announced = true
			_, _ = fmt.Fprintln(s.out, "building from the pinned modules: about 25 minutes on two cores the first time, one or two when Go's build cache is warm")
		}
		file := filepath.Join(temp, prog.name)
		if err := build(ctx, prog, s.pins.version[prog.name], s.components, file, s.out); err != nil {
			return err
		}
		if err := s.cache.add(prog.name, s.pins.key[prog.name], "built", file); err != nil {
			return err
		}
	}
	return nil
}

// download reports false when the program has to be built instead.
func (s *Set) download(ctx context.Context, from *downloader, prog program) (bool, error) {
	if prog.release == nil {
		return false, nil
	}
	file, err := from.fetch(ctx, prog.name, prog.release(prog.name, s.pins.version[prog.name]))
	if errors.Is(err, errUnavailable) && ctx.Err() == nil {
		_, _ = fmt.Fprintf(s.out, "%s: no download (%v)\n", prog.name, err)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := s.cache.add(prog.name, s.pins.key[prog.name], "downloaded", file); err != nil {
		return false, err
	}
	_, _ = fmt.Fprintf(s.out, "%s: downloaded\n", prog.name)
	return true, nil
}

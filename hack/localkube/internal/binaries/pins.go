package binaries

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// FindComponents looks for hack/localkube/components from dir upwards.
func FindComponents(dir string) (string, error) {
	for at := dir; ; at = filepath.Dir(at) {
		candidate := filepath.Join(at, "hack", "localkube", "components")
		if info, err := os.Stat(candidate); err == nil && info.IsDir() {
			return candidate, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no hack/localkube/components in or above %s: run inside the repository or give --components DIR", dir)
		}
	}
}

// pins are the versions and cache keys of all programs.
type pins struct {
	version map[string]string
	key     map[string]string
}

// readPins derives a key per program from the files that decide what is built.
func readPins(ctx context.Context, components string) (pins, error) {
	p := pins{version: map[string]string{}, key: map[string]string{}}
	compiler := goVersion(ctx, components)
	for _, prog := range programs {
		dir := filepath.Join(components, prog.component)
		sum, err := hashDir(dir)
		if err != nil {
			return pins{}, err
		}
		key := sha256.Sum256([]byte(strings.Join([]string{prog.name, compiler, sum}, "\n")))
		p.key[prog.name] = hex.EncodeToString(key[:])
		if prog.module == "" {
			continue
		}
		if p.version[prog.name], err = pinnedVersion(dir, prog.module); err != nil {
			return pins{}, err
		}
	}
	return p, nil
}

// hash names the set of all pins.
func (p pins) hash() string {
	h := sha256.New()
	for _, prog := range programs {
		_, _ = fmt.Fprintln(h, p.key[prog.name])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// hashDir covers go.mod, go.sum and the Go files of a component.
func hashDir(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return "", fmt.Errorf("list %s: %w", dir, err)
	}
	files = append(files, filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.sum"))
	slices.Sort(files)
	h := sha256.New()
	found := false
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("read a pin: %w", err)
		}
		found = true
		_, _ = fmt.Fprintf(h, "%s %d\n%s", filepath.Base(file), len(raw), raw)
	}
	if !found {
		return "", fmt.Errorf("%s holds no Go module: is --components right?", dir)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func pinnedVersion(dir, module string) (string, error) {
	path := filepath.Join(dir, "go.mod")
	raw, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read a pin: %w", err)
	}
	mod, err := modfile.ParseLax(path, raw, nil)
	if err != nil {
		return "", fmt.Errorf("read a pin: %w", err)
	}
	for _, r := range mod.Require {
		if r.Mod.Path == module {
			return r.Mod.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not pin %s", path, module)
}

// goVersion is empty on a machine without Go, where programs can only be given or downloaded.
func goVersion(ctx context.Context, components string) string {
	cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION")
	cmd.Dir = filepath.Join(components, "kubernetes")
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

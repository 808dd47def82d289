package binaries

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// checkout makes a tree of components in which coredns is a program that compiles in a moment.
func checkout(t *testing.T) string {
	t.Helper()
	components := filepath.Join(t.TempDir(), "hack", "localkube", "components")
	for _, prog := range programs {
		mod := "module example/" + prog.name + "\n\ngo 1.26.0\n"
		if prog.module != "" && prog.name != "coredns" {
			mod += "\nrequire " + prog.module + " " + versionOf(prog.module) + "\n"
		}
		write(t, filepath.Join(components, prog.component, "go.mod"), mod)
	}
	dir := filepath.Join(components, "coredns")
	write(t, filepath.Join(dir, "go.mod"),
		"module example/coredns\n\ngo 1.26.0\n\nrequire github.com/coredns/coredns v1.2.3 // indirect\n\nreplace github.com/coredns/coredns => ./fake\n")
	write(t, filepath.Join(dir, "fake", "go.mod"), "module github.com/coredns/coredns\n")
	write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
	write(t, filepath.Join(components, "..", "pause", "main.go"), "package main\n\nfunc main() {}\n")
	return components
}

func versionOf(module string) string {
	if i := strings.LastIndex(module, "/v"); i >= 0 && len(module)-i == 3 {
		return module[i+1:] + ".0.1"
	}
	return "v1.0.1"
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestKeysFollowThePins(t *testing.T) {
	components := checkout(t)
	before, err := readPins(t.Context(), components)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(components, "coredns", "main.go"), "package main\n\nfunc main() { println() }\n")
	write(t, filepath.Join(components, "kwok", "go.sum"), "changed\n")
	write(t, filepath.Join(components, "etcd", "notes.txt"), "irrelevant\n")
	after, err := readPins(t.Context(), components)
	if err != nil {
		t.Fatal(err)
	}
	for name, changes := range map[string]bool{"coredns": true, "kwok": true, "etcd": false, "kubelet": false} {
		if (before.key[name] != after.key[name]) != changes {
			t.Errorf("%s: changed %t, want %t", name, !changes, changes)
		}
	}
	if before.hash() == after.hash() {
		t.Error("the hash of all pins did not change")
	}
	if before.version["coredns"] != "v1.2.3" || before.version["etcd"] != "v3.0.1" {
		t.Errorf("versions %v", before.version)
	}
}

func TestRealPinsAreComplete(t *testing.T) {
	components, err := FindComponents(".")
	if err != nil {
		t.Skip("not inside the repository")
	}
	p, err := readPins(t.Context(), components)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(p.version["kube-apiserver"], "v1.37.") {
		t.Errorf("Kubernetes %s", p.version["kube-apiserver"])
	}
}

func TestFindComponents(t *testing.T) {
	components := checkout(t)
	for _, from := range []string{".", "..", "coredns", "../../.."} {
		got, err := FindComponents(filepath.Join(components, from))
		if err != nil || got != components {
			t.Errorf("from %s: %s, %v", from, got, err)
		}
	}
	if _, err := FindComponents(t.TempDir()); err == nil || !strings.Contains(err.Error(), "--components") {
		t.Errorf("got %v", err)
	}
}

func TestLinkerFlags(t *testing.T) {
	flags := linkerFlags(program{module: kubernetesModule}, "v1.37.2")
	for _, want := range []string{"gitVersion=v1.37.2", "gitMajor=1", "gitMinor=37"} {
		if !strings.Contains(flags, want) {
			t.Errorf("%q lacks %q", flags, want)
		}
	}
}

func TestGiven(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(assetsVariable, dir)
	answer := func(name, text string) {
		write(t, filepath.Join(dir, name), "#!/bin/sh\necho '"+text+"'\n")
		if err := os.Chmod(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	answer("kube-apiserver", "Kubernetes v1.37.0")
	answer("kubectl", "Client Version: v1.36.1")
	answer("etcd", "etcd Version: 3.6.4")
	answer("kubelet", "Kubernetes v1.37.0")
	for name, want := range map[string]bool{
		"kube-apiserver": true,  // another patch release of the same minor
		"kubectl":        false, // too old
		"etcd":           true,
		"kubelet":        false, // none of those that are given that way
		"coredns":        false,
	} {
		if _, got := given(t.Context(), name, "v1.37.2"); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
}

func TestBuildErrorsSayWhatTheCompilerSaid(t *testing.T) {
	components := checkout(t)
	write(t, filepath.Join(components, "coredns", "main.go"), "package main\n\nfunc main() { nonsense }\n")
	t.Setenv(MirrorVariable, "off")
	set, err := Open(t.Context(), components, filepath.Join(t.TempDir(), "bin"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := set.Ensure(t.Context(), []string{"coredns"}); err == nil || !strings.Contains(err.Error(), "undefined: nonsense") {
		t.Errorf("got %v", err)
	}
	expectEmpty(t, set.Dir())
}

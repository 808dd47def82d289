package binaries

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// assetsVariable names the directory of the well-known test tools for Kubernetes.
const assetsVariable = "KUBEBUILDER_ASSETS"

// acceptable says, per program that may be given, how to ask for its version and which to take.
var acceptable = map[string]struct {
	args   []string
	prefix func(version string) string
}{
	"kube-apiserver": {[]string{"--version"}, func(v string) string { return "Kubernetes " + minor(v) + "." }},
	"kubectl":        {[]string{"version", "--client"}, func(v string) string { return "Client Version: " + minor(v) + "." }},
	"etcd":           {[]string{"--version"}, func(string) string { return "etcd Version: 3." }},
}

// given finds a program in KUBEBUILDER_ASSETS, if it is of a fitting version.
func given(ctx context.Context, name, version string) (string, bool) {
	rule, ok := acceptable[name]
	dir := os.Getenv(assetsVariable)
	if !ok || dir == "" {
		return "", false
	}
	path, err := filepath.Abs(filepath.Join(dir, name))
	if err != nil {
		return "", false
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, rule.args...).Output()
	return path, err == nil && strings.HasPrefix(string(out), rule.prefix(version))
}

// minor turns v1.37.2 into v1.37.
func minor(version string) string {
	if i := strings.LastIndexByte(version, '.'); i > 0 {
		return version[:i]
	}
	return version
}

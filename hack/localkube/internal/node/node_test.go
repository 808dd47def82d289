package node

import (
	"encoding/json"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/instance"
	"github.com/sk1-services/distributed-cache/hack/localkube/internal/pki"
)

func options(t *testing.T) Options {
	t.Helper()
	dir := instance.Dir{Name: "t", Path: t.TempDir()}
	store, err := pki.Create(dir.Join("pki"), pki.Endpoints{NodeName: Name, Address: net.IPv4(172, 30, 7, 2), Service: net.IPv4(10, 96, 0, 1)}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Dir: dir, Store: store, Address: "172.30.7.2", Server: "https://172.30.7.2:6443",
		Programs: map[string]string{Shim: "/bin/true", Kubelet: "/k/kubelet"},
	}
}

func TestKubeletConfig(t *testing.T) {
	o := options(t)
	text, err := kubeletConfig(o)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		CgroupRoot, ResolvConf, TLSCertFile string
		ClusterDNS                          []string
		MaxPods                             int
		FailCgroupV1                        *bool
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.CgroupRoot != "/"+o.Dir.Cgroup() || got.MaxPods != 110 || got.ClusterDNS[0] != o.Address || got.FailCgroupV1 == nil {
		t.Errorf("got %+v", got)
	}
	if _, err := os.Stat(got.TLSCertFile); err != nil {
		t.Error(err)
	}
}

// Nothing that a node writes may lie outside the state directory: the only other paths in its
// files are those of programs.
func TestFilesStayInside(t *testing.T) {
	o := options(t)
	text, err := cniConfig(o)
	if err != nil {
		t.Fatal(err)
	}
	if want := o.Dir.Join("var", "cni"); !strings.Contains(text, want) {
		t.Errorf("the pod addresses are not kept in %s:\n%s", want, text)
	}
	if !strings.Contains(corefile(o), "bind "+o.Address) {
		t.Errorf("the DNS server does not bind the node's address:\n%s", corefile(o))
	}
	for _, spec := range Agents(o) {
		for _, arg := range spec.Args {
			_, value, ok := strings.Cut(arg, "=/")
			if ok && !strings.HasPrefix("/"+value, o.Dir.Path) {
				t.Errorf("%s writes or reads outside: %s", spec.Name, arg)
			}
		}
	}
}

func TestManifestsNameTheirUsers(t *testing.T) {
	err := fs.WalkDir(Manifests, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(Manifests, path)
		if err != nil {
			return err
		}
		var object struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if err := yaml.Unmarshal(raw, &object); err != nil || object.Kind == "" || object.Metadata.Name == "" {
			t.Errorf("%s: %+v, %v", filepath.Base(path), object, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

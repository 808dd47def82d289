package controlplane

import (
	"net"
	"os"
	"slices"
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
	store, err := pki.Create(dir.Join("pki"), pki.Endpoints{NodeName: "n", Address: net.IPv4(127, 0, 0, 1), Service: net.IPv4(10, 96, 0, 1)}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ports, err := FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{}
	for _, name := range Components {
		programs[name] = "/p/" + name
	}
	return Options{Dir: dir, Store: store, Programs: programs, Address: "127.0.0.1", Bind: "127.0.0.1", Loopback: true, Ports: ports}
}

func TestFreePortsDiffer(t *testing.T) {
	p, err := FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	list := []int{p.APIServer, p.Etcd, p.EtcdPeer, p.ControllerManager, p.Scheduler}
	slices.Sort(list)
	if len(slices.Compact(list)) != 5 || list[0] == 0 {
		t.Errorf("got %+v", p)
	}
}

// Every file that a component is told to read must have been written.
func TestSpecsNameFilesThatExist(t *testing.T) {
	o := options(t)
	if err := Prepare(o); err != nil {
		t.Fatal(err)
	}
	written := []string{o.Dir.AuditLog(), o.Dir.Join("etcd"), o.Dir.Join("tmp"), o.Dir.Join("volume-plugins")}
	for i, spec := range Specs(o) {
		if spec.Name != Components[i] || spec.Path != "/p/"+spec.Name {
			t.Errorf("component %d is %s at %s", i, spec.Name, spec.Path)
		}
		for _, arg := range spec.Args {
			_, path, ok := strings.Cut(arg, "=/")
			path = "/" + path
			if !ok || slices.Contains(written, path) {
				continue
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s %s: %v", spec.Name, arg, err)
			}
		}
	}
}

func TestKubeconfigCarriesItsCertificates(t *testing.T) {
	o := options(t)
	if err := Prepare(o); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(o.Dir.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		CurrentContext string `json:"current-context"`
		Clusters       []struct {
			Cluster struct {
				Server string
				CA     []byte `json:"certificate-authority-data"`
			}
		}
		Users []struct {
			User struct {
				Key []byte `json:"client-key-data"`
			}
		}
	}
	if err := yaml.Unmarshal(raw, &config); err != nil {
		t.Fatal(err)
	}
	if config.CurrentContext != "localkube-t" || config.Clusters[0].Cluster.Server != o.Server() {
		t.Errorf("got %+v", config)
	}
	if !strings.Contains(string(config.Clusters[0].Cluster.CA), "CERTIFICATE") || !strings.Contains(string(config.Users[0].User.Key), "PRIVATE KEY") {
		t.Error("the certificates are not inside")
	}
	if info, err := os.Stat(o.Dir.Kubeconfig()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestOnlyALoopbackServerHidesItsAddress(t *testing.T) {
	o := options(t)
	const flag = "--endpoint-reconciler-type=none"
	if !slices.Contains(apiServerArgs(o), flag) {
		t.Error("127.0.0.1 would become an endpoint, which the API refuses")
	}
	o.Loopback = false
	if slices.Contains(apiServerArgs(o), flag) {
		t.Error("pods would not find the API server")
	}
}

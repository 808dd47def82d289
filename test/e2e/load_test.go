//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const loadImage = "e2e-load:dev"

// loadImageOnce builds the load client and brings it into the node.
func loadImageOnce() { loadProgram(loadImage, "e2e-load", "./load") }

// load is a client pod under constant load.
type load struct{ name string }

type outcome struct {
	Requests, Hits, Misses, NoRing, Errors, Unreachable, Resets int
	First                                                       string
	Rings                                                       []sighting
}

// sighting is a ring, and when a client took it over.
type sighting struct {
	Version int64
	At      time.Time
}

// underLoad starts a client of a cache, with a right to read its ring and no other, and gives it
// time for traffic before the first event.
func underLoad(cache string, flags ...string) load {
	GinkgoHelper()
	l := startLoad("load-"+cache, cache, flags...)
	time.Sleep(2 * time.Second)
	return l
}

// startLoad starts a client of a cache; the ring's ConfigMap is mounted, too, for flags that name
// the directory /ring.
func startLoad(name, cache string, flags ...string) load {
	GinkgoHelper()
	args, err := json.Marshal(append([]string{"-cache=" + cache, "-duration=15m"}, flags...))
	Expect(err).NotTo(HaveOccurred())
	apply(fmt.Sprintf(`
apiVersion: v1
kind: ServiceAccount
metadata: {name: %[1]s, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: %[1]s, namespace: default}
rules: [{apiGroups: [""], resources: [configmaps], resourceNames: [%[2]s-ring], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: %[1]s, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: %[1]s}
subjects: [{kind: ServiceAccount, name: %[1]s, namespace: default}]
---
apiVersion: v1
kind: Pod
metadata: {name: %[1]s, namespace: default}
spec:
  serviceAccountName: %[1]s
  restartPolicy: Never
  terminationGracePeriodSeconds: 10
  securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
  containers:
    - name: load
      image: %[3]s
      args: %[4]s
      volumeMounts: [{name: ring, mountPath: /ring, readOnly: true}]
      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
  volumes: [{name: ring, configMap: {name: %[2]s-ring}}]
`, name, cache, loadImage, args))
	DeferCleanup(func() {
		must("delete", "pod,role,rolebinding,serviceaccount", name, "-n", "default", "--ignore-not-found", "--grace-period=0", "--force")
	})
	Eventually(func() string { out, _ := kubectl("logs", name); return out }, "30s").Should(ContainSubstring("started"))
	return load{name}
}

// stop ends the load and gives what it met.
func (l load) stop() outcome {
	GinkgoHelper()
	// Deleting the pod would take its log along.
	run("kill", "-TERM", pid("e2e-load", "HOSTNAME="+l.name))
	var o outcome
	Eventually(func() error { return json.Unmarshal([]byte(last(must("logs", l.name))), &o) }, "15s").Should(Succeed())
	GinkgoWriter.Printf("load: %+v\n", o)
	Expect(o.Requests).To(BeNumerically(">", 300), "there was traffic")
	return o
}

// pid finds a process of a container by its program, as this machine sees it.
func pid(program string, arguments ...string) string {
	GinkgoHelper()
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	Expect(err).NotTo(HaveOccurred())
	for _, file := range found {
		data, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(data), "/"+program+"\x00") {
			continue
		}
		id := filepath.Base(filepath.Dir(file))
		environment, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "environ"))
		ok := true
		for _, argument := range arguments {
			ok = ok && strings.Contains(string(environment), argument)
		}
		if _, err := strconv.Atoi(id); err == nil && ok {
			return id
		}
	}
	Fail("no process of " + program + " with " + strings.Join(arguments, " "))
	return ""
}

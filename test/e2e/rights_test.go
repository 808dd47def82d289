//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
)

// needless are rights that cannot be seen in use on this cluster.
var needless = []string{
	// Asked for by the admission plugin OwnerReferencesPermissionEnforcement, where it is on.
	"cache.sk1.services.com/distributedcaches/finalizers update",
	// Informers stream their first state by watch, and list only where a server cannot or, as it comes,
	// after a watch was lost.
	"/namespaces list", "cache.sk1.services.com/distributedcaches list", "apps/statefulsets list", "/pods list", "/services list", "/configmaps list",
	"/resourcequotas list", "networking.k8s.io/networkpolicies list", "rbac.authorization.k8s.io/roles list", "rbac.authorization.k8s.io/rolebindings list",
	// Granted together with list and watch, of which the informers make use.
	"cache.sk1.services.com/distributedcaches get", "apps/statefulsets get", "/pods get",
	// Used when a right of the next line's kind is taken: only while pods are refused.
	"/events list",
	// Used only for an object that is in the way, and for a ring that was lost.
	"/services get", "/configmaps get",
	// Events that repeat are counted by patch.
	"events.k8s.io/events patch",
}

// rights compares what the operator's role grants with what the API server's audit log saw it
// do: what it was refused, and what it never used.
func rights(namespace string) (refused, unused []string) {
	GinkgoHelper()
	var role rbacv1.ClusterRole
	Expect(json.Unmarshal([]byte(must("get", "clusterrole", "distributed-cache-operator", "-o", "json")), &role)).To(Succeed())
	used := map[string]bool{}
	file, err := os.Open(auditLog)
	Expect(err).NotTo(HaveOccurred())
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Verb           string
			User           struct{ Username string }
			ObjectRef      struct{ APIGroup, Resource, Subresource string }
			ResponseStatus struct{ Code int }
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.User.Username != "system:serviceaccount:"+namespace+":distributed-cache-operator" || e.ObjectRef.Resource == "" {
			continue
		}
		resource := e.ObjectRef.Resource
		if e.ObjectRef.Subresource != "" {
			resource += "/" + e.ObjectRef.Subresource
		}
		right := fmt.Sprintf("%s/%s %s", e.ObjectRef.APIGroup, resource, e.Verb)
		used[right] = true
		// An apply that makes an object is authorised as a create too.
		if e.Verb == "patch" && e.ResponseStatus.Code == 201 {
			used[strings.TrimSuffix(right, "patch")+"create"] = true
		}
		if e.ResponseStatus.Code == 403 && !slices.Contains(refused, right) {
			refused = append(refused, right)
		}
	}
	Expect(lines.Err()).NotTo(HaveOccurred())
	for _, rule := range role.Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					right := fmt.Sprintf("%s/%s %s", group, resource, verb)
					if !used[right] && !slices.Contains(needless, right) {
						unused = append(unused, right)
					}
				}
			}
		}
	}
	return refused, unused
}

//go:build integration

package integration

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/yaml"

	"github.com/sk1-services/distributed-cache/pkg/controller"
)

// blind is a user who has all rights of the operator but those on a resource.
func blind(resource string) rest.ImpersonationConfig {
	GinkgoHelper()
	data, err := os.ReadFile(filepath.Join("..", "..", "config", "rbac", "role.yaml"))
	Expect(err).NotTo(HaveOccurred())
	role := &rbacv1.ClusterRole{}
	Expect(yaml.Unmarshal(data, role)).To(Succeed())
	role.Name, role.ResourceVersion = "blind-to-"+resource, ""
	role.Rules = slices.DeleteFunc(role.Rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.Resources, resource) })
	binding := &rbacv1.ClusterRoleBinding{}
	binding.Name = role.Name
	binding.RoleRef = rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name}
	binding.Subjects = []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: role.Name}}
	Expect(k8s.Create(ctx, role)).To(Succeed())
	Expect(k8s.Create(ctx, binding)).To(Succeed())
	DeferCleanup(func() {
		Expect(k8s.Delete(ctx, binding)).To(Succeed())
		Expect(k8s.Delete(ctx, role)).To(Succeed())
	})
	return rest.ImpersonationConfig{UserName: role.Name}
}

// The informers are the operator's own, and so is what makes it ready; main only puts them together.
var _ = Describe("I4 An operator that may not watch NetworkPolicies", func() {
	It("is not ready, and says what it may not do", func() {
		own := rest.CopyConfig(config)
		own.Impersonate = blind("networkpolicies")
		watches := &controller.Watches{Clock: clock.RealClock{}}
		options := controller.Cache()
		options.Scheme, options.DefaultWatchErrorHandler = controller.Scheme(), watches.Failed
		informers, err := cache.New(own, options)
		Expect(err).NotTo(HaveOccurred())
		running, stop := context.WithCancel(ctx)
		defer stop()
		for object := range options.ByObject {
			_, err := informers.GetInformer(running, object, cache.BlockUntilSynced(false))
			Expect(err).NotTo(HaveOccurred())
		}
		go func() { _ = informers.Start(running) }()
		Consistently(func() error { return watches.Check(nil) }, "5s").Should(Succeed(), "a short refusal is none")
		Eventually(func() error { return watches.Check(nil) }, "120s").Should(MatchError(And(
			ContainSubstring("*v1.NetworkPolicy"), ContainSubstring(`cannot list resource "networkpolicies"`))))
		Expect(watches.Check(nil)).NotTo(MatchError(ContainSubstring("Pod")), "only that is not seen")
	})
})

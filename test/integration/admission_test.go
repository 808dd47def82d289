//go:build integration

package integration

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// manifest gives a cache as a user would write it.
func manifest(name, spec string) *unstructured.Unstructured {
	GinkgoHelper()
	u := &unstructured.Unstructured{}
	Expect(yaml.Unmarshal([]byte("apiVersion: cache.sk1.services.com/v1alpha1\nkind: DistributedCache\nmetadata: {name: "+name+", namespace: default}\nspec: "+spec), u)).To(Succeed())
	return u
}

var _ = Describe("Bad input", func() {
	long := strings.Repeat("a", 53)
	const nameRule = "metadata.name must be at most 52 characters: lower-case letters, digits and '-', beginning with a letter and ending with a letter or digit (for example 'orders-cache')"

	DescribeTable("is refused at admission with one sentence that says what would be right",
		func(name, spec, message string) {
			err := k8s.Create(ctx, manifest(name, spec), client.DryRunAll)
			Expect(err).To(MatchError(ContainSubstring(message)))
			Expect(err.Error()).NotTo(ContainSubstring("evaluating rule"), "a rule that fails to evaluate explains nothing")
		},
		Entry("F3 a name of 53 characters", long, "{}", nameRule),
		Entry("a name that begins with a digit", "1-cache", "{}", nameRule),
		Entry("a name with a dot", "orders.cache", "{}", nameRule),
		Entry("negative replicas", "a", "{replicas: -1}", "spec.replicas in body should be greater than or equal to 0"),
		Entry("too many replicas", "a", "{replicas: 1001}", "spec.replicas in body should be less than or equal to 1000"),
		Entry("little memory", "a", "{memoryPerPod: 63Mi}", "memoryPerPod must be at least 64Mi"),
		Entry("little memory as a number", "a", "{memoryPerPod: 1}", "memoryPerPod must be at least 64Mi"),
		Entry("much memory", "a", "{memoryPerPod: 2Ti}", "memoryPerPod must be at most 1Ti; use more replicas instead"),
		Entry("a fraction of a byte", "a", "{memoryPerPod: 134217728500m}", "memoryPerPod must be a whole number of bytes, for example 128Mi"),
		Entry("memory that is no quantity", "a", "{memoryPerPod: lots}", "spec.memoryPerPod in body should match"),
		Entry("negative grace", "a", "{drain: {gracePeriodSeconds: -1}}", "spec.drain.gracePeriodSeconds in body should be greater than or equal to 0"),
		Entry("long grace", "a", "{drain: {gracePeriodSeconds: 3601}}", "spec.drain.gracePeriodSeconds in body should be less than or equal to 3600"),
		Entry("an image with a space", "a", "{image: 'tiny cache'}", "image must be an image reference without white space, for example 'registry.example.com/tiny-cache:v1'"),
		Entry("a label of the operator", "a", "{pod: {labels: {app.kubernetes.io/name: x}}}", "pod.labels may not use the prefixes app.kubernetes.io/ and cache.sk1.services.com/, which the operator sets; choose another key"),
		Entry("a label that is too long", "a", "{pod: {labels: {team: "+strings.Repeat("x", 64)+"}}}", "pod.labels keys are a name of at most 63 characters with an optional DNS prefix, values at most 63 characters"),
		Entry("an annotation of the operator", "a", "{pod: {annotations: {cache.sk1.services.com/draining-since: x}}}", "pod.annotations may not use the prefix cache.sk1.services.com/, which the operator sets; choose another key"),
		Entry("a memory request beside memoryPerPod", "a", "{pod: {resources: {requests: {memory: 1Gi}}}}", "pod.resources.requests may hold cpu only; memory comes from spec.memoryPerPod"),
		Entry("a memory limit beside memoryPerPod", "a", "{pod: {resources: {limits: {memory: 1Gi}}}}", "pod.resources.limits may hold cpu only; memory comes from spec.memoryPerPod"),
		Entry("an unknown pull policy", "a", "{pod: {imagePullPolicy: Sometimes}}", `supported values: "Always", "IfNotPresent", "Never"`),
		Entry("clients of a cache that is not isolated", "a", "{tenant: {clients: [{matchLabels: {a: b}}]}}", "tenant.clients needs tenant.isolate: true; a cache that is not isolated can be reached from every namespace"),
		Entry("a client selector that selects all", "a", "{tenant: {isolate: true, clients: [{matchLabels: {a: b}}, {}]}}", "an empty selector would admit every namespace; select some, for example matchLabels: {kubernetes.io/metadata.name: shop}"),
		Entry("a client selector with empty lists", "a", "{tenant: {isolate: true, clients: [{matchLabels: {}, matchExpressions: []}]}}", "an empty selector would admit every namespace"),
		Entry("G4 a duplicate list key", "a", "{pod: {imagePullSecrets: [{name: a}, {name: a}]}}", `spec.pod.imagePullSecrets[1]: Duplicate value`),
	)

	It("tells of a field that does not exist", func() {
		err := k8s.Apply(ctx, client.ApplyConfigurationFromUnstructured(manifest("a", "{replica: 3}")), client.FieldOwner("user"), client.DryRunAll)
		Expect(err).To(MatchError(ContainSubstring(".spec.replica: field not declared in schema")))
	})

	It("F3 takes a name of 52 characters, and its pods come up", func() {
		t := createIn(namespace(), strings.Repeat("a", 52), replicas(1))
		t.expectReady()
	})

	It("refuses to change tenant.isolate", func() {
		t := create(replicas(0))
		u := manifest(t.key.Name, "{tenant: {isolate: true}, replicas: 0}")
		u.SetNamespace(t.key.Namespace)
		err := k8s.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("user"), client.ForceOwnership)
		Expect(err).To(MatchError(ContainSubstring("tenant.isolate cannot be changed after creation; create another DistributedCache and move its clients")))
	})

	It("fills in the defaults, which kubectl explain shows", func() {
		u := manifest("defaults", "{}")
		Expect(k8s.Create(ctx, u, client.DryRunAll)).To(Succeed())
		Expect(text(u.Object["spec"])).To(Equal(`{"drain":{"gracePeriodSeconds":30},"memoryPerPod":"128Mi","paused":false,"pod":{"resources":{}},"replicas":3,"tenant":{"isolate":false}}`))
		Expect(text(u.Object["status"])).To(Equal(`{"observedGeneration":-1}`))
		Expect(kubectl("explain", "distributedcache.spec.replicas")).To(ContainSubstring("number of cache pods"))
	})
})

package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kstatus "sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
)

func forbidden() error {
	return fmt.Errorf("sent: %w", apierrors.NewForbidden(schema.GroupResource{Resource: "services"}, "orders-cache", errors.New("no rights")))
}

func invalid(detail *field.Error) error {
	return apierrors.NewInvalid(schema.GroupKind{Group: "apps", Kind: "StatefulSet"}, "orders-cache", field.ErrorList{detail})
}

func stale() error {
	return apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, "orders-cache-ring", errors.New("the object has been modified"))
}

func doomed() error {
	err := apierrors.NewForbidden(schema.GroupResource{Resource: "services"}, "orders-cache", errors.New("being terminated"))
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	return err
}

func degradedBy(reason string) map[string]string {
	return map[string]string{"Degraded": "True " + reason, "Ready": "False " + reason}
}

func stalledBy(reason string) map[string]string {
	return with(degradedBy(reason), "Stalled", "True "+reason)
}

func refusedCase(name, kind string, err error, differs map[string]string, want kstatus.Status) statusCase {
	return statusCase{name, func(o *Outcome) { refuse(o, kind, err) }, differs, want}
}

func TestRefusedObjects(t *testing.T) {
	immutable := invalid(field.Forbidden(field.NewPath("spec"), "updates to statefulset spec are forbidden"))
	wrong := invalid(field.Invalid(field.NewPath("spec", "template"), "x", "is not good"))
	stranger := &apply.ConflictError{Object: "Service shop/orders-cache", Holder: "Deployment web"}
	former := &apply.ConflictError{Object: "Service shop/orders-cache", Holder: "DistributedCache orders-cache", Former: true}
	runStatusCases(t, []statusCase{
		refusedCase("the Service is refused", "Service", forbidden(), degradedBy("ServiceReconcileFailed"), kstatus.InProgressStatus),
		refusedCase("the StatefulSet is refused", "StatefulSet", forbidden(), degradedBy("StatefulSetReconcileFailed"), kstatus.InProgressStatus),
		refusedCase("the ring is refused", "ConfigMap", forbidden(), degradedBy("RingReconcileFailed"), kstatus.InProgressStatus),
		refusedCase("an invalid object only the user can mend", "StatefulSet", wrong, stalledBy("StatefulSetReconcileFailed"), kstatus.FailedStatus),
		refusedCase("an immutable field only the user can mend", "StatefulSet", immutable, stalledBy("ImmutableField"), kstatus.FailedStatus),
		refusedCase("a taken name only the user can free", "Service", stranger, stalledBy("NameConflict"), kstatus.FailedStatus),
		refusedCase("the remains of a former cache are waited for", "Service", former, nil, kstatus.CurrentStatus),
		refusedCase("a lost race is no trouble", "ConfigMap", stale(), nil, kstatus.CurrentStatus),
		refusedCase("a namespace under deletion is no trouble", "Service", doomed(), nil, kstatus.CurrentStatus),
		{
			"a stall wins over what is on the way", func(o *Outcome) { unready(o, 1); refuse(o, "Service", stranger) },
			with(stalledBy("NameConflict"), "Progressing", "True WaitingForPods"), kstatus.FailedStatus,
		},
		{
			"a trouble that may pass leaves the cache on the way", func(o *Outcome) { unready(o, 1); refuse(o, "Service", forbidden()) },
			with(with(degradedBy("ServiceReconcileFailed"), "Progressing", "True WaitingForPods"), "Reconciling", "True WaitingForPods"),
			kstatus.InProgressStatus,
		},
	})
}

func waitingContainer(reason string) func(*Outcome) {
	return func(o *Outcome) {
		unready(o, 1)
		o.World.Pods[1].Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name: "tiny-cache", Image: "tiny-cache:v1",
			State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}},
		}}
	}
}

func TestTroublesOfPods(t *testing.T) {
	trouble := func(reason string) map[string]string {
		return with(with(degradedBy(reason), "Progressing", "True WaitingForPods"), "Reconciling", "True WaitingForPods")
	}
	missing := func(o *Outcome) {
		o.World.Pods = o.World.Pods[:2]
		o.World.StatefulSet.Status.Replicas, o.World.StatefulSet.Status.ReadyReplicas = 2, 2
		o.World.Refusal = "exceeded quota: small"
		o.Plan.Ring.Members = o.Plan.Ring.Members[:2]
	}
	runStatusCases(t, []statusCase{
		{"an image cannot be pulled", waitingContainer("ErrImagePull"), trouble("ImagePullFailed"), kstatus.InProgressStatus},
		{"a container keeps crashing", waitingContainer("CrashLoopBackOff"), trouble("PodFailing"), kstatus.InProgressStatus},
		{"a container that starts is no trouble", waitingContainer("ContainerCreating"), waitingFor("WaitingForPods"), kstatus.InProgressStatus},
		{"pods are refused", missing, trouble("PodCreationFailed"), kstatus.InProgressStatus},
		{
			"a pod runs and is not Ready for long", func(o *Outcome) { unready(o, 1); o.Now = o.Now.Add(time.Minute) },
			trouble("PodsNotReady"), kstatus.InProgressStatus,
		},
	})
}

// Messages name the object, the trouble, and what to do where only the user can do it.
func TestMessages(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Outcome)
		kind   string
		says   []string
	}{
		{"available", func(*Outcome) {}, v1alpha1.Available, []string{"3 of 3 wanted pods serve in ring version 4"}},
		{
			"no ring", func(o *Outcome) { o.World.Ring, o.Plan.Ring = nil, nil }, v1alpha1.Available,
			[]string{"no ring has been published yet: 3 of 3 pods are Ready"},
		},
		{"too few", func(o *Outcome) { unready(o, 0); unready(o, 1) }, v1alpha1.Available, []string{"1 of 3 wanted pods serve in ring version 4"}},
		{"rolling", func(o *Outcome) {
			o.World.StatefulSet.Status.UpdateRevision, o.World.StatefulSet.Status.UpdatedReplicas = "other", 1
		}, v1alpha1.Progressing, []string{"1 of 3 pods are of the wanted template"}},
		{"waiting", func(o *Outcome) { unready(o, 1) }, v1alpha1.Progressing, []string{"Ready: 2/3"}},
		{
			"draining", func(o *Outcome) { o.World.Cache.Spec.Replicas = new(int32(1)) }, v1alpha1.Progressing,
			[]string{"1 pods are wanted and 3 run"},
		},
		{"refused", func(o *Outcome) { refuse(o, "Service", forbidden()) }, v1alpha1.Degraded, []string{"no rights"}},
		{
			"immutable", func(o *Outcome) {
				refuse(o, "StatefulSet", invalid(field.Forbidden(field.NewPath("spec"), "updates to statefulset spec are forbidden")))
			}, v1alpha1.Stalled, []string{"StatefulSet shop/orders-cache: spec cannot", "--cascade=orphan"},
		},
		{
			"conflict", func(o *Outcome) {
				refuse(o, "Service", fmt.Errorf("sent: %w", &apply.ConflictError{Object: "Service shop/orders-cache", Holder: "Deployment web"}))
			}, v1alpha1.Degraded, []string{"Service shop/orders-cache belongs to Deployment web"},
		},
		{
			"refused pods", func(o *Outcome) { o.World.Refusal = "exceeded quota: small" }, v1alpha1.Degraded,
			[]string{"StatefulSet shop/orders-cache: pods are refused: exceeded quota: small"},
		},
		{"trouble", waitingContainer("ErrImagePull"), v1alpha1.Ready, []string{"pod orders-cache-1: ", `"tiny-cache:v1"`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := settledOutcome(3)
			tc.change(&o)
			c := meta.FindStatusCondition(Status(o).Conditions, tc.kind)
			for _, text := range tc.says {
				if c == nil || !strings.Contains(c.Message, text) {
					t.Errorf("%s is %v, want a message with %q", tc.kind, c, text)
				}
			}
		})
	}
}

// The first trouble in a fixed order is told, so that the text does not flap: objects before
// refused pods, those before troubles, those in order of their ordinals.
func TestTheFirstTroubleIsTold(t *testing.T) {
	o := settledOutcome(3)
	waitingContainer("CrashLoopBackOff")(&o)
	waiting := o.World.Pods[1].Status.ContainerStatuses
	unready(&o, 2)
	o.World.Pods[2].Status.ContainerStatuses = waiting
	told := func() string { return meta.FindStatusCondition(Status(o).Conditions, v1alpha1.Degraded).Message }
	if got := told(); !strings.HasPrefix(got, "pod orders-cache-1: ") {
		t.Errorf("of two pods, %q is told", got)
	}
	o.World.Refusal = "exceeded quota"
	if got := told(); !strings.Contains(got, "exceeded quota") {
		t.Errorf("of refused and failing pods, %q is told", got)
	}
	refuse(&o, "ConfigMap", errors.New("ring refused"))
	refuse(&o, "Service", errors.New("service refused"))
	if got := told(); got != "service refused" {
		t.Errorf("of two refused objects, %q is told", got)
	}
}

func TestLongMessagesAreCut(t *testing.T) {
	o := settledOutcome(3)
	refuse(&o, "Service", errors.New(strings.Repeat("x", 2*maxMessage)))
	status := Status(o)
	checkLaws(t, o, status)
	if c := meta.FindStatusCondition(status.Conditions, v1alpha1.Degraded); len(c.Message) != maxMessage || !strings.HasSuffix(c.Message, "x...") {
		t.Errorf("%d bytes, ending in %q", len(c.Message), c.Message[len(c.Message)-5:])
	}
}

package report

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kstatus "sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/readiness"
)

// newCell is the cell of newCache, with a quota in force that is large enough.
func newCell() *observe.Cell {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "cache-orders-cache", UID: "cell-uid", Labels: map[string]string{
		v1alpha1.ManagedByLabel: v1alpha1.FieldManager, v1alpha1.OwnerNameLabel: "orders-cache",
		v1alpha1.OwnerNamespaceLabel: "shop", v1alpha1.OwnerUIDLabel: uid,
	}}}
	return &observe.Cell{Namespace: ns, Quota: &corev1.ResourceQuota{Status: corev1.ResourceQuotaStatus{Hard: corev1.ResourceList{
		corev1.ResourcePods:           resource.MustParse("100"),
		corev1.ResourceRequestsMemory: resource.MustParse("100Gi"),
		corev1.ResourceLimitsMemory:   resource.MustParse("100Gi"),
	}}}}
}

// cellChanges are what may become of a cell.
var cellChanges = []func(*observe.Cell){
	func(*observe.Cell) {},
	func(c *observe.Cell) { *c = observe.Cell{} },
	func(c *observe.Cell) { c.Quota = nil },
	func(c *observe.Cell) { c.Namespace.DeletionTimestamp = new(metav1.NewTime(epoch)) },
	func(c *observe.Cell) { *c = observe.Cell{Namespace: &corev1.Namespace{}} },
}

func fenceUnchanged() []apply.Result {
	var results []apply.Result
	for _, kind := range fenceKinds {
		results = append(results, apply.Result{Kind: kind, Namespace: "cache-orders-cache", Name: "orders-cache", Action: apply.Unchanged, Existed: true})
	}
	return results
}

// isolate makes a settled pass one over an isolated cache.
func isolate(o *Outcome) {
	o.World.Cache.Spec.Tenant.Isolate = true
	o.World.Cell = newCell()
	o.Plan.Fence, o.Plan.Workload = &plan.Fence{}, true
	o.Results = append(fenceUnchanged(), o.Results...)
}

// isolatedCase is a settled isolated cache, changed.
func isolatedCase(name string, change func(*Outcome), differs map[string]string, want kstatus.Status) statusCase {
	shown := map[string]string{"TenantIsolated": "True Reconciled"}
	maps.Copy(shown, differs)
	return statusCase{name, func(o *Outcome) { isolate(o); change(o) }, shown, want}
}

// leftAlone is a pass that stops at the step.
func leftAlone(o *Outcome, step plan.Step) {
	o.Plan, o.Results = plan.Plan{Step: step}, nil
}

// going is a cell whose deletion began so long before the pass.
func going(o *Outcome, ago time.Duration) {
	o.World.Cell.Namespace.DeletionTimestamp = new(metav1.NewTime(o.Now.Add(-ago)))
	o.World.Cell.Namespace.Status.Conditions = []corev1.NamespaceCondition{
		{Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue, Message: "Some resources are remaining: widgets.x has 1 resource instances"},
		{Type: corev1.NamespaceDeletionContentFailure, Status: corev1.ConditionFalse, Message: "All content successfully deleted"},
	}
}

func deleted(o *Outcome, step plan.Step) {
	o.World.Cache.DeletionTimestamp = new(metav1.NewTime(epoch))
	leftAlone(o, step)
}

func TestConditionsOfACell(t *testing.T) {
	const conflict = "CellNamespaceConflict"
	badSelector := invalid(field.Invalid(field.NewPath("spec", "ingress"), "x", "is not good"))
	immutable := invalid(field.Forbidden(field.NewPath("roleRef"), "cannot change roleRef"))
	stranger := &apply.ConflictError{Object: "Role cache-orders-cache/orders-cache-ring-reader"}
	notIsolated := func(reason string) map[string]string { return map[string]string{"TenantIsolated": "False " + reason} }
	both := func(differs map[string]string, reason string) map[string]string {
		return with(differs, "TenantIsolated", "False "+reason)
	}
	runStatusCases(t, []statusCase{
		isolatedCase("all is as wanted", func(*Outcome) {}, nil, kstatus.CurrentStatus),
		isolatedCase("its name is somebody else's", func(o *Outcome) {
			o.World.Cell = &observe.Cell{Namespace: &corev1.Namespace{}}
			leftAlone(o, plan.StepRefuse)
		}, map[string]string{
			"Available": "False " + conflict, "Progressing": "False " + conflict, "Degraded": "True " + conflict,
			"TenantIsolated": "False " + conflict, "Ready": "False " + conflict, "Stalled": "True " + conflict,
		}, kstatus.FailedStatus),
		isolatedCase("its name was taken before it was made", func(o *Outcome) {
			refuse(o, "Namespace", &apply.ConflictError{Object: "Namespace /cache-orders-cache"})
		}, both(stalledBy(conflict), conflict), kstatus.FailedStatus),
		isolatedCase("its policy is refused", func(o *Outcome) { refuse(o, "NetworkPolicy", forbidden()) },
			both(degradedBy("CellReconcileFailed"), "CellReconcileFailed"), kstatus.InProgressStatus),
		isolatedCase("its policy makes no sense", func(o *Outcome) { refuse(o, "NetworkPolicy", badSelector) },
			both(stalledBy("CellReconcileFailed"), "CellReconcileFailed"), kstatus.FailedStatus),
		isolatedCase("a role of the name was there before", func(o *Outcome) { refuse(o, "Role", stranger) },
			both(stalledBy("NameConflict"), "NameConflict"), kstatus.FailedStatus),
		isolatedCase("its binding binds another role", func(o *Outcome) { refuse(o, "RoleBinding", immutable) },
			both(stalledBy("ImmutableField"), "ImmutableField"), kstatus.FailedStatus),
		isolatedCase("a write of it lost a race", func(o *Outcome) { refuse(o, "ResourceQuota", stale()) },
			with(notIsolated("CellIncomplete"), "Ready", "False CellIncomplete"), kstatus.InProgressStatus),
		isolatedCase("the ring is refused, which is not the cell's", func(o *Outcome) { refuse(o, "ConfigMap", forbidden()) },
			degradedBy("RingReconcileFailed"), kstatus.InProgressStatus),
		isolatedCase("its quota is not in force", func(o *Outcome) { o.Plan.Workload = false }, waitingFor("WaitingForCell"), kstatus.InProgressStatus),
		isolatedCase("somebody deleted it", func(o *Outcome) { going(o, time.Second); leftAlone(o, plan.StepRebuild) },
			both(waitingFor("CellTerminating"), "CellTerminating"), kstatus.InProgressStatus),
		isolatedCase("it was deleted and does not go", func(o *Outcome) { going(o, readiness.NamespacePatience); leftAlone(o, plan.StepRebuild) },
			map[string]string{
				"Progressing": "True CellTerminating", "Reconciling": "True CellTerminating", "TenantIsolated": "False CellTerminating",
				"Degraded": "True CellNamespaceStuck", "Ready": "False CellNamespaceStuck",
			}, kstatus.InProgressStatus),
		isolatedCase("a paused one is not vouched for", func(o *Outcome) { o.World.Cache.Spec.Paused = true; leftAlone(o, plan.StepPause) },
			map[string]string{"Progressing": "False Paused", "Ready": "False Paused", "TenantIsolated": "Unknown Paused"}, kstatus.InProgressStatus),
		isolatedCase("the pass ended early", func(o *Outcome) { o.Err, o.Results = errors.New("forbidden"), nil }, map[string]string{
			"Available": "Unknown ReconcileFailed", "Progressing": "Unknown ReconcileFailed", "TenantIsolated": "Unknown ReconcileFailed",
			"Degraded": "True ReconcileFailed", "Ready": "False ReconcileFailed",
		}, kstatus.InProgressStatus),
		isolatedCase("the cache is being deleted", func(o *Outcome) { deleted(o, plan.StepRetire) },
			with(both(waitingFor("Deleting"), "Deleting"), "Available", "False Deleting"), kstatus.TerminatingStatus),
		isolatedCase("its deletion is refused", func(o *Outcome) { deleted(o, plan.StepDissolve); o.Cell = forbidden() }, map[string]string{
			"Available": "False Deleting", "Progressing": "True Deleting", "Reconciling": "True Deleting", "TenantIsolated": "False Deleting",
			"Degraded": "True ReconcileFailed", "Ready": "False ReconcileFailed",
		}, kstatus.TerminatingStatus),
		isolatedCase("its deletion lost a race", func(o *Outcome) { deleted(o, plan.StepDissolve); o.Cell = stale() },
			with(both(waitingFor("Deleting"), "Deleting"), "Available", "False Deleting"), kstatus.TerminatingStatus),
		isolatedCase("it does not go with its cache", func(o *Outcome) { deleted(o, plan.StepDissolve); going(o, time.Minute) }, map[string]string{
			"Available": "False Deleting", "Progressing": "True Deleting", "Reconciling": "True Deleting", "TenantIsolated": "False Deleting",
			"Degraded": "True CellNamespaceStuck", "Ready": "False CellNamespaceStuck",
		}, kstatus.TerminatingStatus),
	})
}

func TestMessagesOfACell(t *testing.T) {
	labelled := func(edit func(map[string]string)) func(*Outcome) {
		return func(o *Outcome) { edit(o.World.Cell.Namespace.Labels); leftAlone(o, plan.StepRefuse) }
	}
	for _, tc := range []struct {
		name   string
		change func(*Outcome)
		kind   string
		says   []string
	}{
		{
			"the name is nobody's we know", labelled(func(l map[string]string) { delete(l, v1alpha1.ManagedByLabel) }), v1alpha1.Degraded,
			[]string{"namespace cache-orders-cache exists and was not created for this cache", "another name"},
		},
		{"the name is another cache's", labelled(func(l map[string]string) {
			l[v1alpha1.OwnerNamespaceLabel], l[v1alpha1.OwnerUIDLabel] = "office", "2"
		}), v1alpha1.Degraded, []string{"is the cell of DistributedCache office/orders-cache; it is left untouched"}},
		{
			"the name is a former cache's", labelled(func(l map[string]string) { l[v1alpha1.OwnerUIDLabel] = "2" }), v1alpha1.Stalled,
			[]string{"was created for a former cache of this name (UID 2)", "until that cache is known to be gone"},
		},
		{
			"held by content", func(o *Outcome) { going(o, time.Minute); leftAlone(o, plan.StepRebuild) }, v1alpha1.Degraded,
			[]string{"namespace cache-orders-cache is being deleted and does not go: Some resources are remaining: widgets.x has 1 resource instances"},
		},
		{"held by a finalizer", func(o *Outcome) {
			going(o, time.Minute)
			o.World.Cell.Namespace.Finalizers = []string{"x/y"}
			leftAlone(o, plan.StepRebuild)
		}, v1alpha1.Degraded, []string{"; finalizers of the namespace: x/y"}},
		{"the quota lags behind", func(o *Outcome) { o.Plan.Workload = false }, v1alpha1.Progressing, []string{"its quota is not in force"}},
		{"what is missing", func(o *Outcome) { o.Results = o.Results[:2] }, v1alpha1.TenantIsolated, []string{"the cell's ResourceQuota is not in place yet"}},
		{"draining", func(o *Outcome) { deleted(o, plan.StepRetire) }, v1alpha1.Progressing, []string{"its ring is emptied"}},
		{"dissolving", func(o *Outcome) { deleted(o, plan.StepDissolve) }, v1alpha1.Progressing, []string{"namespace cache-orders-cache goes"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := settledOutcome(3)
			isolate(&o)
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

// A cell is stuck only after its controller has had time, and only if something holds it.
func TestAStuckCellIsToldInTime(t *testing.T) {
	for ago, want := range map[time.Duration]metav1.ConditionStatus{
		0: metav1.ConditionFalse, 15*time.Second - 1: metav1.ConditionFalse, 15 * time.Second: metav1.ConditionTrue, time.Hour: metav1.ConditionTrue,
	} {
		o := settledOutcome(3)
		isolate(&o)
		going(&o, ago)
		leftAlone(&o, plan.StepRebuild)
		if got := meta.FindStatusCondition(Status(o).Conditions, v1alpha1.Degraded).Status; got != want {
			t.Errorf("%s after its deletion Degraded is %s", ago, got)
		}
		o.World.Cell.Namespace.Status.Conditions = nil
		if got := meta.FindStatusCondition(Status(o).Conditions, v1alpha1.Degraded).Status; got != metav1.ConditionFalse {
			t.Errorf("held by nothing, %s after its deletion Degraded is %s", ago, got)
		}
	}
}

// The status names the cell that was read, while it is ours.
func TestCellInTheStatus(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Outcome)
		want   []string
	}{
		{"not isolated", func(o *Outcome) { o.World.Cache.Spec.Tenant.Isolate, o.World.Cell = false, nil }, []string{"", ""}},
		{"standing", func(*Outcome) {}, []string{"cache-orders-cache", "cell-uid"}},
		{"without labels, and known", func(o *Outcome) {
			o.World.Cache.Status.CellUID, o.World.Cell.Namespace.Labels = "cell-uid", nil
		}, []string{"cache-orders-cache", "cell-uid"}},
		{"gone", func(o *Outcome) {
			o.World.Cache.Status.CellNamespace, o.World.Cache.Status.CellUID = "cache-orders-cache", "cell-uid"
			o.World.Cell = &observe.Cell{}
		}, []string{"", ""}},
		{"somebody else's", func(o *Outcome) { o.World.Cell.Namespace.Labels = nil; leftAlone(o, plan.StepRefuse) }, []string{"", ""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := settledOutcome(3)
			isolate(&o)
			tc.change(&o)
			status := Status(o)
			if diff := cmp.Diff(tc.want, []string{status.CellNamespace, string(status.CellUID)}); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What the status says of the cell is written.
func TestReportOfACell(t *testing.T) {
	o, s := settledOutcome(3), &scribe{}
	isolate(&o)
	if err := s.reporter().Report(t.Context(), o); err != nil || len(s.writes) != 1 {
		t.Fatalf("got %v, %d writes", err, len(s.writes))
	}
	if diff := cmp.Diff(Status(o), s.writes[0].Status); diff != "" {
		t.Errorf("-wanted +written:\n%s", diff)
	}
}

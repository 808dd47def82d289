package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Condition types. Available, Progressing, Degraded, TenantIsolated and Ready are always
// present; Reconciling and Stalled only while true, as kstatus expects of abnormal conditions.
const (
	// Available says that clients can route: the published ring holds at least half of the
	// wanted pods, and at least one of them is Ready.
	Available = "Available"
	// Progressing says that the operator or Kubernetes is on the way to the wanted state.
	Progressing = "Progressing"
	// Degraded says that something is wrong which waiting for a planned step does not explain.
	Degraded = "Degraded"
	// TenantIsolated says that the cell's objects are in place and unmodified.
	TenantIsolated = "TenantIsolated"
	// Ready sums up the others: Available, not Progressing, not Degraded, isolated if wanted.
	Ready = "Ready"
	// Reconciling is kstatus's "in progress".
	Reconciling = "Reconciling"
	// Stalled is kstatus's "failed": only a change by the user helps.
	Stalled = "Stalled"
)

// ConditionTypes are all the types that the operator writes.
var ConditionTypes = []string{Available, Progressing, Degraded, TenantIsolated, Ready, Reconciling, Stalled}

// Reasons of conditions. docs/conditions.md explains each; a test holds the two together.
const (
	// ReasonReconciled: as wanted.
	ReasonReconciled = "Reconciled"
	// ReasonPaused: spec.paused is true.
	ReasonPaused = "Paused"
	// ReasonDeleting: the cache is being deleted.
	ReasonDeleting = "Deleting"

	// ReasonInsufficientReplicas: fewer than half of the wanted pods can serve.
	ReasonInsufficientReplicas = "InsufficientReplicas"
	// ReasonRingNotPublished: there is no ring yet.
	ReasonRingNotPublished = "RingNotPublished"
	// ReasonScaledToZero: spec.replicas is 0.
	ReasonScaledToZero = "ScaledToZero"

	// ReasonWaitingForPods: pods are being created or are not Ready yet.
	ReasonWaitingForPods = "WaitingForPods"
	// ReasonWaitingForRing: Ready pods wait for the join window.
	ReasonWaitingForRing = "WaitingForRing"
	// ReasonRollingOut: pods are being replaced one at a time.
	ReasonRollingOut = "RollingOut"
	// ReasonDraining: pods that are no longer wanted have left the ring and serve on for the grace.
	ReasonDraining = "Draining"

	// ReasonServiceReconcileFailed: the API server refused the Service.
	ReasonServiceReconcileFailed = "ServiceReconcileFailed"
	// ReasonStatefulSetReconcileFailed: the API server refused the StatefulSet.
	ReasonStatefulSetReconcileFailed = "StatefulSetReconcileFailed"
	// ReasonRingReconcileFailed: the API server refused the ring's ConfigMap.
	ReasonRingReconcileFailed = "RingReconcileFailed"
	// ReasonNameConflict: an object of a needed name exists and is not this cache's.
	ReasonNameConflict = "NameConflict"
	// ReasonImmutableField: an owned object has a field that cannot be changed to what is wanted.
	ReasonImmutableField = "ImmutableField"
	// ReasonReconcileFailed: the operator could not finish a pass over the cache.
	ReasonReconcileFailed = "ReconcileFailed"
	// ReasonImagePullFailed: a pod's image cannot be pulled.
	ReasonImagePullFailed = "ImagePullFailed"
	// ReasonPodUnschedulable: no node takes a pod.
	ReasonPodUnschedulable = "PodUnschedulable"
	// ReasonPodFailing: a pod's container keeps failing.
	ReasonPodFailing = "PodFailing"
	// ReasonPodCreationFailed: pods are refused, for example by a quota or by admission.
	ReasonPodCreationFailed = "PodCreationFailed"
	// ReasonPodStuck: a pod that was told to end does not.
	ReasonPodStuck = "PodStuck"
	// ReasonPodsNotReady: pods run and have not become Ready for long.
	ReasonPodsNotReady = "PodsNotReady"

	// ReasonNotRequested: tenant.isolate is false.
	ReasonNotRequested = "NotRequested"
	// ReasonCellNamespaceConflict: the name of the cell is somebody else's.
	ReasonCellNamespaceConflict = "CellNamespaceConflict"
	// ReasonCellReconcileFailed: the API server refused an object that fences the cell.
	ReasonCellReconcileFailed = "CellReconcileFailed"
	// ReasonCellIncomplete: an object that fences the cell is not in place yet.
	ReasonCellIncomplete = "CellIncomplete"
	// ReasonCellTerminating: somebody deleted the cell of a cache that lives.
	ReasonCellTerminating = "CellTerminating"
	// ReasonCellNamespaceStuck: the cell is being deleted, and something holds it.
	ReasonCellNamespaceStuck = "CellNamespaceStuck"
	// ReasonWaitingForCell: the cell's quota is not in force for what is wanted.
	ReasonWaitingForCell = "WaitingForCell"
)

// Meaning is one line of the table of conditions: what a (type, status, reason) says and what
// to do about it.
type Meaning struct {
	Type    string
	Status  metav1.ConditionStatus
	Reason  string
	Meaning string
	Action  string
}

const nothing = "Nothing."

// Meanings lists every (type, status, reason) that the operator writes, in the order of the
// documentation. Reconciling and Stalled, and Ready when it is not True for another reason than
// a pause, repeat the reason of the condition they sum up.
var Meanings = []Meaning{
	{Available, metav1.ConditionTrue, ReasonReconciled, "The published ring holds at least half of the wanted pods and at least one of them is Ready.", nothing},
	{Available, metav1.ConditionFalse, ReasonRingNotPublished, "No ring has been published yet: the first one waits until all wanted pods are Ready, or a minute at most.", "Wait; look at Progressing and Degraded if it lasts."},
	{Available, metav1.ConditionFalse, ReasonInsufficientReplicas, "Fewer than half of the wanted pods can serve. The last ring stays published.", "Look at Degraded, then at the pods."},
	{Available, metav1.ConditionFalse, ReasonScaledToZero, "spec.replicas is 0.", "Raise spec.replicas."},
	{Available, metav1.ConditionFalse, ReasonDeleting, "The cache is being deleted.", nothing},
	{Available, metav1.ConditionFalse, ReasonCellNamespaceConflict, "The name of the cell, cache-<name>, is another namespace's, which is left untouched; nothing was created.", "Delete that namespace if nobody needs it, or create the cache under another name; it heals by itself."},
	{Available, metav1.ConditionUnknown, ReasonReconcileFailed, "The operator could not finish a pass over the cache.", "Look at the message: usually missing RBAC."},

	{Progressing, metav1.ConditionFalse, ReasonReconciled, "Everything is as wanted.", nothing},
	{Progressing, metav1.ConditionFalse, ReasonPaused, "spec.paused is true; nothing is changed, the ring included.", "Set spec.paused to false to go on."},
	{Progressing, metav1.ConditionFalse, ReasonCellNamespaceConflict, "The name of the cell is another namespace's.", "As for Available."},
	{Progressing, metav1.ConditionTrue, ReasonWaitingForPods, "Pods are being created or are not Ready yet.", "Wait; look at Degraded if it lasts."},
	{Progressing, metav1.ConditionTrue, ReasonWaitingForCell, "The cell is being fenced; pods are made when its quota is in force for them.", "Wait; look at Degraded if it lasts."},
	{Progressing, metav1.ConditionTrue, ReasonCellTerminating, "Somebody deleted the cell; it is made anew when it is gone.", "Wait; look at Degraded if it lasts."},
	{Progressing, metav1.ConditionTrue, ReasonWaitingForRing, "Ready pods wait for the join window before they enter the ring.", "Wait a few seconds."},
	{Progressing, metav1.ConditionTrue, ReasonDraining, "Pods that are no longer wanted have left the ring, or will as soon as another pod serves, and go when their grace is over. status.drain says when.", "Wait; set spec.replicas back to cancel."},
	{Progressing, metav1.ConditionTrue, ReasonRollingOut, "Pods are being replaced one at a time.", "Wait; look at Degraded if it lasts."},
	{Progressing, metav1.ConditionTrue, ReasonDeleting, "The cache is being deleted: its ring is empty, and its pods go when the grace is over.", nothing},
	{Progressing, metav1.ConditionUnknown, ReasonReconcileFailed, "The operator could not finish a pass over the cache.", "As for Available."},

	{Degraded, metav1.ConditionFalse, ReasonReconciled, "Nothing is wrong.", nothing},
	{Degraded, metav1.ConditionTrue, ReasonServiceReconcileFailed, "The API server refused the Service.", "Read the message; it holds the server's words."},
	{Degraded, metav1.ConditionTrue, ReasonStatefulSetReconcileFailed, "The API server refused the StatefulSet.", "Read the message; usually a value under spec.pod."},
	{Degraded, metav1.ConditionTrue, ReasonRingReconcileFailed, "The API server refused the ring's ConfigMap.", "Read the message."},
	{Degraded, metav1.ConditionTrue, ReasonNameConflict, "An object of a needed name exists and does not belong to this cache. It is left untouched.", "Delete or rename that object, or choose another name for the cache; it heals by itself."},
	{Degraded, metav1.ConditionTrue, ReasonImmutableField, "An owned object has a field that cannot be changed in place.", "Delete the named object with --cascade=orphan; the operator creates it anew and adopts the pods."},
	{Degraded, metav1.ConditionTrue, ReasonReconcileFailed, "The operator could not finish a pass over the cache.", "Look at the message: usually missing RBAC."},
	{Degraded, metav1.ConditionTrue, ReasonImagePullFailed, "A pod's image cannot be pulled.", "Mend spec.image, spec.pod.imagePullSecrets or the registry."},
	{Degraded, metav1.ConditionTrue, ReasonPodUnschedulable, "No node takes a pod.", "Add capacity, or relax spec.memoryPerPod, spec.pod.resources and the placement under spec.pod."},
	{Degraded, metav1.ConditionTrue, ReasonPodFailing, "A pod's container keeps failing.", "kubectl logs --previous on the named pod."},
	{Degraded, metav1.ConditionTrue, ReasonPodCreationFailed, "Pods are refused, for example by a ResourceQuota, a LimitRange or an admission policy.", "Read the message; raise the quota or lower spec.replicas or spec.memoryPerPod."},
	{Degraded, metav1.ConditionTrue, ReasonPodsNotReady, "Pods run and have not become Ready for longer than a start should take.", "kubectl describe the named pod."},
	{Degraded, metav1.ConditionTrue, ReasonPodStuck, "A pod was told to end and did not in time. It is out of the ring, and its successor waits for it.", "Look at its node; if that is dead, delete the Node object or the pod with --force."},
	{Degraded, metav1.ConditionTrue, ReasonCellNamespaceConflict, "The name of the cell is another namespace's; the message says whose.", "As for Available."},
	{Degraded, metav1.ConditionTrue, ReasonCellReconcileFailed, "The API server refused an object that fences the cell. No pods are made meanwhile.", "Read the message; usually missing RBAC, or a selector under tenant.clients."},
	{Degraded, metav1.ConditionTrue, ReasonCellNamespaceStuck, "The cell is being deleted and does not go; the message names what holds it.", "Remove the named objects or finalizers."},

	{TenantIsolated, metav1.ConditionFalse, ReasonNotRequested, "tenant.isolate is false.", nothing},
	{TenantIsolated, metav1.ConditionTrue, ReasonReconciled, "The cell's namespace, NetworkPolicy, ResourceQuota, Role and RoleBinding are in place and unmodified. Whether the network enforces the policy is the network plugin's.", nothing},
	{TenantIsolated, metav1.ConditionFalse, ReasonCellIncomplete, "The cell is being made.", "Wait; look at Degraded if it lasts."},
	{TenantIsolated, metav1.ConditionFalse, ReasonCellNamespaceConflict, "The name of the cell is another namespace's.", "As for Available."},
	{TenantIsolated, metav1.ConditionFalse, ReasonCellReconcileFailed, "The API server refused an object that fences the cell.", "Read the message."},
	{TenantIsolated, metav1.ConditionFalse, ReasonNameConflict, "An object of a needed name exists in the cell and was not made by the operator. It is left untouched.", "Delete that object; it heals by itself."},
	{TenantIsolated, metav1.ConditionFalse, ReasonImmutableField, "An object of the cell has a field that cannot be changed in place.", "Delete the named object; the operator creates it anew."},
	{TenantIsolated, metav1.ConditionFalse, ReasonCellTerminating, "Somebody deleted the cell.", "Wait; it is made anew when it is gone."},
	{TenantIsolated, metav1.ConditionFalse, ReasonDeleting, "The cache is being deleted, and its cell goes last.", nothing},
	{TenantIsolated, metav1.ConditionUnknown, ReasonPaused, "spec.paused is true, so nobody vouches for the cell.", "Set spec.paused to false to go on."},
	{TenantIsolated, metav1.ConditionUnknown, ReasonReconcileFailed, "The operator could not finish a pass over the cache.", "As for Available."},

	{Ready, metav1.ConditionFalse, ReasonPaused, "spec.paused is true, so nobody vouches for the wanted state.", "Set spec.paused to false to go on."},
	{Ready, metav1.ConditionTrue, ReasonReconciled, "Available, nothing in progress, nothing wrong, isolated if that is wanted.", nothing},
}

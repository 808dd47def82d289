package controller

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/observe"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/render"
	"github.com/sk1-services/distributed-cache/pkg/report"
)

// Options configure the controller.
type Options struct {
	Render render.Options
	Timing plan.Timing
	// Concurrency is how many caches are reconciled at once.
	Concurrency int
	// Clock is the API server's time (pkg/apitime). Required.
	Clock clock.PassiveClock
	// Name tells several managers in one process apart; empty outside tests.
	Name string
}

// MaxBackoff bounds how long a failing cache waits for its next try.
const MaxBackoff = time.Minute

// Scheme knows the kinds that the operator handles.
func Scheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	return scheme
}

// Cache restricts the informers to objects that the operator made, whatever else the cluster
// holds, but for namespaces: a cell's name may be taken, and clients are known by their namespaces'
// labels. It keeps managedFields, from which apply tells whether a write would change anything;
// pods, which are never applied, and other namespaces go without.
func Cache() cache.Options {
	ours := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{v1alpha1.ManagedByLabel: v1alpha1.FieldManager})}
	pods := ours
	pods.Transform = cache.TransformStripManagedFields()
	return cache.Options{
		ReaderFailOnMissingInformer: true,
		ByObject: map[client.Object]cache.ByObject{
			&corev1.Namespace{}:           {Transform: stripStrangers},
			&networkingv1.NetworkPolicy{}: ours,
			&corev1.ResourceQuota{}:       ours,
			&rbacv1.Role{}:                ours,
			&rbacv1.RoleBinding{}:         ours,
			&corev1.Service{}:             ours,
			&corev1.ConfigMap{}:           ours,
			&appsv1.StatefulSet{}:         ours,
			&corev1.Pod{}:                 pods,
		},
	}
}

func stripStrangers(object any) (any, error) {
	if o, ok := object.(client.Object); ok && o.GetLabels()[v1alpha1.ManagedByLabel] != v1alpha1.FieldManager {
		o.SetManagedFields(nil)
	}
	return object, nil
}

// Add sets the controller up with a manager that was made with Scheme and Cache.
func Add(mgr ctrl.Manager, options Options) error {
	reconciler := &Reconciler{
		Observer: &observe.Observer{Cached: mgr.GetClient(), Live: mgr.GetAPIReader()},
		Applier:  &apply.Applier{Writer: mgr.GetClient(), Live: mgr.GetAPIReader(), Manager: v1alpha1.FieldManager},
		Reporter: &report.Reporter{Status: mgr.GetClient().Status(), Events: mgr.GetEventRecorder(v1alpha1.FieldManager)},
		Clock:    options.Clock,
		Timing:   options.Timing,
		Render:   options.Render,
	}
	owner := handler.EnqueueRequestsFromMapFunc(ownerRequest)
	skipName := options.Name != ""
	return ctrl.NewControllerManagedBy(mgr).
		Named("distributedcache").
		For(&v1alpha1.DistributedCache{}).
		Watches(&corev1.Namespace{}, handler.EnqueueRequestsFromMapFunc(namespaceRequests(mgr.GetClient()))).
		Watches(&networkingv1.NetworkPolicy{}, owner).
		Watches(&corev1.ResourceQuota{}, owner).
		Watches(&rbacv1.Role{}, owner).
		Watches(&rbacv1.RoleBinding{}, owner).
		Watches(&corev1.Service{}, owner).
		Watches(&appsv1.StatefulSet{}, owner).
		Watches(&corev1.ConfigMap{}, owner).
		Watches(&corev1.Pod{}, owner).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: options.Concurrency,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](50*time.Millisecond, MaxBackoff),
			ReconciliationTimeout:   time.Minute,
			SkipNameValidation:      &skipName,
		}).
		Complete(reconciler)
}

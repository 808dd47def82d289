package controller

import (
	"context"
	"errors"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/apply"
	"github.com/sk1-services/distributed-cache/pkg/observe"
)

// guard lets writes through only if the cache they are for is, live, the one that was planned on.
// The informers run independently of each other: an object that was just orphaned must not be
// taken back because the deletion of its cache has not been seen yet. The cache is read once in a
// pass, before the first write; a pass that writes nothing reads nothing.
type guard struct {
	writer   apply.Writer
	observer *observe.Observer
	cache    *v1alpha1.DistributedCache

	once sync.Once
	err  error
}

// Apply sends the object, or fails with a conflict if the cache has changed.
func (g *guard) Apply(ctx context.Context, object runtime.ApplyConfiguration, options ...client.ApplyOption) error {
	if err := g.check(ctx); err != nil {
		return err
	}
	return g.writer.Apply(ctx, object, options...)
}

// Delete deletes the object, or fails with a conflict if the cache has changed.
func (g *guard) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	if err := g.check(ctx); err != nil {
		return err
	}
	return g.writer.Delete(ctx, object, options...)
}

func (g *guard) check(ctx context.Context) error {
	g.once.Do(func() {
		var same bool
		same, g.err = g.observer.Same(ctx, g.cache)
		if g.err == nil && !same {
			g.err = apierrors.NewConflict(v1alpha1.GroupVersion.WithResource(v1alpha1.Plural).GroupResource(), g.cache.Name, errChanged)
		}
	})
	return g.err
}

var errChanged = errors.New("the cache has changed since it was read")

// guarded is the applier for one pass over a cache.
func (r *Reconciler) guarded(cache *v1alpha1.DistributedCache) *apply.Applier {
	applier := *r.Applier
	applier.Writer = &guard{writer: r.Applier.Writer, observer: r.Observer, cache: cache}
	return &applier
}

package controller

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/observe"
)

// sent counts what comes through.
type sent struct{ count int }

func (s *sent) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	s.count++
	return nil
}

func (s *sent) Delete(context.Context, client.Object, ...client.DeleteOption) error {
	s.count++
	return nil
}

func TestGuard(t *testing.T) {
	read := func(edit func(*v1alpha1.DistributedCache)) *v1alpha1.DistributedCache {
		c := &v1alpha1.DistributedCache{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "1", Generation: 3}}
		if edit != nil {
			edit(c)
		}
		return c
	}
	for _, tc := range []struct {
		name string
		live *v1alpha1.DistributedCache
		lets bool
	}{
		{"the cache that was read is there", read(nil), true},
		{"a changed status or label makes no difference", read(func(c *v1alpha1.DistributedCache) { c.Labels = map[string]string{"a": "b"} }), true},
		{"A1 its spec has changed", read(func(c *v1alpha1.DistributedCache) { c.Generation = 4 }), false},
		{"it is being deleted", read(func(c *v1alpha1.DistributedCache) {
			c.DeletionTimestamp, c.Finalizers = new(metav1.Now()), []string{"x/y"}
		}), false},
		{"A2 it is another one of its name", read(func(c *v1alpha1.DistributedCache) { c.UID = "2" }), false},
		{"it is gone", nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			builder := fake.NewClientBuilder().WithScheme(Scheme())
			if tc.live != nil {
				builder.WithObjects(tc.live)
			}
			through := &sent{}
			g := &guard{writer: through, observer: &observe.Observer{Live: builder.Build()}, cache: read(nil)}
			for _, err := range []error{g.Apply(t.Context(), corev1ac.ConfigMap("a", "shop")), g.Delete(t.Context(), &corev1.Namespace{})} {
				if (err == nil) != tc.lets || err != nil && !apierrors.IsConflict(err) {
					t.Errorf("got %v", err)
				}
			}
			if want := map[bool]int{true: 2, false: 0}[tc.lets]; through.count != want {
				t.Errorf("%d writes came through, want %d", through.count, want)
			}
		})
	}
}

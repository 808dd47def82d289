package collect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/explain"
)

// permitted is a reader that takes what may not be read for missing, and notes it.
type permitted struct {
	client.Reader
	cache  *v1alpha1.DistributedCache
	unread []explain.Unreadable
}

func (p *permitted) Get(ctx context.Context, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
	err := p.Reader.Get(ctx, key, object, options...)
	if !apierrors.IsForbidden(err) {
		return err
	}
	p.note(kind(object), err)
	if namespace, ok := object.(*corev1.Namespace); ok && p.assume(key.Name, namespace) {
		return nil
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: kind(object)}, key.Name)
}

// assume fills in a cell of which the cache's status says that it stands: who may read in it, and
// not it itself, would else see nothing.
func (p *permitted) assume(name string, namespace *corev1.Namespace) bool {
	if name != p.cache.Home() || p.cache.Status.CellUID == "" {
		return false
	}
	namespace.Name, namespace.UID = name, p.cache.Status.CellUID
	return true
}

func (p *permitted) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	err := p.Reader.List(ctx, list, options...)
	if !apierrors.IsForbidden(err) {
		return err
	}
	p.note(kind(list), err)
	return nil
}

// unused are kinds that the observer reads and no explanation uses: who may read the ring, and which
// namespaces the clients live in.
var unused = []string{"Role", "RoleBinding", "NamespaceList"}

// note notes a kind once.
func (p *permitted) note(kind string, err error) {
	if slices.Contains(unused, kind) {
		return
	}
	kind = strings.TrimSuffix(kind, "List")
	if !slices.ContainsFunc(p.unread, func(u explain.Unreadable) bool { return u.Kind == kind }) {
		p.unread = append(p.unread, explain.Unreadable{Kind: kind, Message: err.Error()})
	}
}

// kind is the kind of a typed object, which does not carry it when it is read.
func kind(object any) string {
	name := fmt.Sprintf("%T", object)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Package crfile reads caches from files, and judges them as the API server would.
//
// Its laws: the verdict is the API server's own, by the very schema and rules that it is given
// (config/crd) and with its own code, so that what passes here is admitted there; and no cluster is
// needed. What only a cluster can know is left out: rules that compare with an object that stands
// already, and admission policies.
package crfile

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// maxBytes bounds what is read: an API server takes no request of more than 3 MiB.
const maxBytes = 16 << 20

// Options are what a reading depends on besides the file.
type Options struct {
	// Namespace is the namespace of caches that name none, "default" if empty.
	Namespace string
}

// Contents are what a file holds.
type Contents struct {
	// Caches are the DistributedCaches that are valid, in order, with the defaults filled in.
	Caches []Document
	// Others are the objects of other kinds, which are not looked into.
	Others []Other
}

// Document is one cache of a file.
type Document struct {
	Position
	Cache *v1alpha1.DistributedCache
}

// Other is one object of a kind that is not ours.
type Other struct {
	Position
	Kind string
	Name string
}

// Read reads the YAML or JSON documents of r; file names them in errors. The error joins one *Error
// for each trouble, and what is right is returned beside it.
func Read(r io.Reader, file string, o Options) (*Contents, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	case len(data) > maxBytes:
		return nil, fmt.Errorf("%s: more than %d MiB; that is no file of manifests", file, maxBytes>>20)
	}
	reading := &reading{options: o, contents: &Contents{}}
	documents := split(file, data)
	if len(documents) == 0 {
		return reading.contents, &Error{Position{File: file}, errors.New("there is nothing in it; a DistributedCache is expected")}
	}
	for _, d := range documents {
		reading.document(d)
	}
	if len(reading.contents.Caches) == 0 && len(reading.failed) == 0 {
		reading.fail(Position{File: file}, fmt.Errorf("no %s in it, only %s", v1alpha1.Kind, reading.kinds()))
	}
	return reading.contents, errors.Join(reading.failed...)
}

// reading is a file half read.
type reading struct {
	options  Options
	contents *Contents
	failed   []error
}

func (r *reading) fail(at Position, errs ...error) {
	for _, err := range errs {
		r.failed = append(r.failed, &Error{at, err})
	}
}

// kinds are the kinds of the other objects, each once.
func (r *reading) kinds() string {
	var kinds []string
	for _, o := range r.contents.Others {
		if !slices.Contains(kinds, o.Kind) {
			kinds = append(kinds, o.Kind)
		}
	}
	return strings.Join(kinds, ", ")
}

func (r *reading) document(d document) {
	object, err := d.decode()
	if err != nil {
		// Its other faults are told as well, but it is none that could be taken.
		r.fail(d.Position, err)
		taken := r.contents
		r.contents = &Contents{}
		defer func() { r.contents = taken }()
	}
	if object == nil {
		return
	}
	items, list := itemsOf(object)
	if !list {
		r.object(d.Position, object)
		return
	}
	for i, item := range items {
		at := d.Position
		at.Item = i + 1
		if object, ok := item.(map[string]any); ok {
			r.object(at, object)
		} else {
			r.fail(at, errNoManifest)
		}
	}
}

// itemsOf are the objects of a list, as kubectl get prints several.
func itemsOf(object map[string]any) ([]any, bool) {
	u := unstructured.Unstructured{Object: object}
	list := u.GetAPIVersion() == "v1" && u.GetKind() == "List" ||
		u.GetAPIVersion() == v1alpha1.GroupVersion.String() && u.GetKind() == v1alpha1.Kind+"List"
	items, _ := object["items"].([]any)
	return items, list
}

func (r *reading) object(at Position, object map[string]any) {
	u := &unstructured.Unstructured{Object: object}
	kind := u.GroupVersionKind()
	switch {
	case u.GetKind() == "":
		r.fail(at, errors.New("Object 'Kind' is missing")) //nolint:staticcheck // the API server's own words
	case kind == v1alpha1.GroupVersion.WithKind(v1alpha1.Kind):
		cache, failed := check(u, r.options)
		r.fail(at, failed...)
		if len(failed) == 0 {
			r.contents.Caches = append(r.contents.Caches, Document{at, cache})
		}
	case kind.Group == v1alpha1.Group || kind.Kind == v1alpha1.Kind:
		r.fail(at, fmt.Errorf("%w; a cache is %s of %s", noMatch(kind), v1alpha1.Kind, v1alpha1.GroupVersion))
	default:
		r.contents.Others = append(r.contents.Others, Other{at, u.GetKind(), u.GetName()})
	}
}

func noMatch(kind schema.GroupVersionKind) error {
	return &meta.NoKindMatchError{GroupKind: kind.GroupKind(), SearchedVersions: []string{kind.Version}}
}

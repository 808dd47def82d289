package crfile

import (
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/plan"
	"github.com/sk1-services/distributed-cache/pkg/render"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// PlaceholderUID stands in a rendering for the UID that the API server gives a cache.
const PlaceholderUID types.UID = "00000000-0000-0000-0000-000000000000"

// Rendering is what the operator applies for a cache.
type Rendering struct {
	// Objects are in the order in which they are applied.
	Objects []runtime.ApplyConfiguration
	// Notes say, a sentence each, what only a cluster can tell.
	Notes []string
}

// Render gives what the operator applies for a cache; image runs where the cache names none. If
// settled, it is what stands once all is as wanted, with ring version 1; if not, what the first pass
// writes, when there are no pods and no ring. The plan of either is the state machine's own.
func Render(cache *v1alpha1.DistributedCache, image string, settled bool) (*Rendering, error) {
	cache = cache.DeepCopy()
	r := &Rendering{}
	if cache.UID == "" {
		cache.UID = PlaceholderUID
		r.note("The UID %s stands for the one that the API server gives the cache.", PlaceholderUID)
	}
	cache.Namespace, cache.Generation = orDefault(cache.Namespace), max(cache.Generation, 1)
	state := beginning(cache)
	if cache.Spec.Tenant.Isolate {
		state.Cell.Readers = r.readers(cache)
	}
	if settled {
		state = settle(state, cache.Name)
	}
	if cache.Spec.Paused {
		state.Paused = false
		r.note("spec.paused is true: the operator applies none of it until that is false.")
	}
	if state.Cell != nil && !settled {
		r.note("The Service, the StatefulSet and the ring follow when the cell's quota is in force.")
	}
	objects, err := render.Render(cache, plan.Next(state, plan.DefaultTiming), render.Options{CacheImage: image})
	if err != nil {
		return nil, fmt.Errorf("DistributedCache %s/%s: %w", cache.Namespace, cache.Name, err)
	}
	r.Objects = objects.List()
	return r, nil
}

func (r *Rendering) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// epoch is when a rendered cache is made: nothing that is applied depends on it.
var epoch = time.Unix(0, 0)

// beginning is a new cache as the state machine sees it, with the finalizer on.
func beginning(cache *v1alpha1.DistributedCache) plan.State {
	s := plan.State{Now: epoch, Wanted: int(cache.WantedReplicas()), Grace: cache.Grace(), Held: true}
	if cache.Spec.Tenant.Isolate {
		memory := cache.Memory()
		s.Cell = &plan.Cell{Memory: memory.Value()}
	}
	return s
}

// settle is the state a while later, with all pods in the first ring.
func settle(s plan.State, name string) plan.State {
	document := &ring.Document{Version: 1}
	for i := range s.Wanted {
		pod := plan.Pod{Name: v1alpha1.PodName(name, i), Ordinal: i, Ready: true, ReadySince: epoch, Grace: s.Grace}
		s.Pods = append(s.Pods, pod)
		document.Members = append(document.Members, pod.Name)
	}
	s.Now = epoch.Add(time.Hour)
	s.Set = &plan.Set{Created: epoch, Replicas: s.Wanted}
	s.Ring, s.HighWater = document, document.Version
	if s.Cell != nil {
		s.Cell.Standing = true
		s.Cell.InForce = plan.Quota{Pods: s.Wanted + 1, Memory: int64(s.Wanted) * s.Cell.Memory * 5 / 4}
	}
	return s
}

// Write writes the objects as YAML documents, each with its apiVersion, kind and metadata first.
// The notes are not written.
func (r *Rendering) Write(w io.Writer) error {
	for i, object := range r.Objects {
		text, err := manifest(object)
		if err != nil {
			return err
		}
		if i > 0 {
			text = append([]byte("---\n"), text...)
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

func manifest(object runtime.ApplyConfiguration) ([]byte, error) {
	data, err := yaml.Marshal(object)
	if err != nil {
		return nil, err
	}
	var rest map[string]any
	if err := yaml.Unmarshal(data, &rest); err != nil {
		return nil, err
	}
	var text []byte
	for _, key := range []string{"apiVersion", "kind", "metadata"} {
		head, err := yaml.Marshal(map[string]any{key: rest[key]})
		if err != nil {
			return nil, err
		}
		text = append(text, head...)
		delete(rest, key)
	}
	if len(rest) == 0 {
		return text, nil
	}
	tail, err := yaml.Marshal(rest)
	return append(text, tail...), err
}

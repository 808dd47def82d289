// Package apiwatch is the ring source that watches the ring's ConfigMap at the API server. It
// sees a new ring within a fraction of a second.
//
// Its law: it needs get, list and watch on that one ConfigMap and nothing else, and it survives
// any outage of the API server: the last ring stays, also when the ConfigMap is deleted, and the
// server is asked again within two seconds, for ever.
//
// The ring is listed, consistently, and watched from there on. Whenever a watch ends, for whatever
// reason, the ring is listed anew rather than the watch resumed: it is one small object, and so
// there is no version to lose (410 Gone) and no bookmark to keep. A watch ends after Refresh at
// the latest, which bounds how long a stream that has gone dead without a word can hide a ring.
package apiwatch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/ring"
)

// patience is how long the API server may take to answer a list, or to begin a watch. A living one
// takes milliseconds.
const patience = 5 * time.Second

// Source watches the ring of one cache. Client, Namespace and Cache are required.
type Source struct {
	Client kubernetes.Interface
	// Namespace is where the ring is: the cache's own, or its cell.
	Namespace string
	// Cache is the cache's name.
	Cache string
	// Refresh is how long a watch stands before the ring is listed and watched anew; 0 means a
	// minute. Up to a quarter is taken off at random, so that clients do not come together.
	Refresh time.Duration
	// Trouble, if not nil, is told of every ring that is malformed and of every attempt that
	// failed, for example for want of rights. It must not block.
	Trouble func(error)
}

// Run publishes each well-formed ring that it sees until ctx ends; the same ring more than once.
// A malformed ring is passed over. It fails only if it is not told what to watch.
func (s Source) Run(ctx context.Context, publish func(cacheclient.Snapshot)) error {
	if s.Client == nil || s.Namespace == "" || s.Cache == "" {
		return fmt.Errorf("apiwatch: Client, Namespace and Cache are required, have namespace %q and cache %q", s.Namespace, s.Cache)
	}
	if s.Refresh < 0 {
		return fmt.Errorf("apiwatch: Refresh is negative: %s", s.Refresh)
	}
	if s.Refresh == 0 {
		s.Refresh = time.Minute
	}
	pauses := newPauses()
	for {
		begun := time.Now()
		err := s.follow(ctx, publish)
		if ctx.Err() == nil {
			s.complain(err)
		}
		if !pauses.wait(ctx, time.Since(begun)) {
			return nil
		}
		if errors.Is(err, context.DeadlineExceeded) {
			dropConnections(s.Client) // after the pause, when what ran on them has ended
		}
	}
}

// complain tells of an attempt that failed. That a version is too old to be watched from is no
// trouble: the next attempt lists.
func (s Source) complain(err error) {
	if err != nil && !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err) {
		s.tell(err)
	}
}

// follow lists the ring and watches it until the watch ends. That is an error unless its time was
// over.
func (s Source) follow(ctx context.Context, publish func(cacheclient.Snapshot)) error {
	configMaps := s.Client.CoreV1().ConfigMaps(s.Namespace)
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", v1alpha1.RingName(s.Cache)).String()}
	listing, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	// Without a resourceVersion the answer is the newest there is. An older one, which the server's
	// cache may give, could bring back the ring of a former owner.
	list, err := configMaps.List(listing, options)
	if err != nil {
		return s.failed(listing, "list", err)
	}
	for i := range list.Items {
		s.see(&list.Items[i], publish)
	}
	length := s.Refresh - rand.N(s.Refresh/4+1) //nolint:gosec // jitter is no secret
	watching, end := context.WithTimeout(ctx, length)
	defer end()
	options.ResourceVersion = list.ResourceVersion
	// The server ends it too, should it not notice that we went away.
	options.TimeoutSeconds = new(int64(length/time.Second) + 5)
	// The context of a watch is that of its stream; the time to begin has to be bounded beside it.
	opening := time.AfterFunc(patience, end)
	stream, err := configMaps.Watch(watching, options)
	if !opening.Stop() && err == nil {
		stream.Stop()
		err = context.DeadlineExceeded
	}
	if err != nil {
		return s.failed(watching, "watch", err)
	}
	defer stream.Stop()
	return s.consume(watching, stream, publish)
}

// consume reads a watch to its end.
func (s Source) consume(watching context.Context, stream watch.Interface, publish func(cacheclient.Snapshot)) error {
	for {
		select {
		case <-watching.Done():
			return nil
		case event, open := <-stream.ResultChan():
			switch {
			case !open:
				return nil
			case event.Type == watch.Error && watching.Err() == nil:
				return s.failed(watching, "watch", apierrors.FromObject(event.Object))
			case event.Type == watch.Added, event.Type == watch.Modified:
				if m, ok := event.Object.(*corev1.ConfigMap); ok {
					s.see(m, publish)
				}
			}
		}
	}
}

func (s Source) see(m *corev1.ConfigMap, publish func(cacheclient.Snapshot)) {
	snapshot, err := Decode(m)
	if err != nil {
		s.tell(err)
		return
	}
	publish(snapshot)
}

// failed names the object and the verb. A client tells in words of its own that it ran out of time.
func (s Source) failed(ctx context.Context, verb string, err error) error {
	if ctx.Err() != nil {
		err = errors.Join(context.DeadlineExceeded, err)
	}
	return fmt.Errorf("%s ConfigMap %s/%s: %w", verb, s.Namespace, v1alpha1.RingName(s.Cache), err)
}

func (s Source) tell(err error) {
	if s.Trouble != nil {
		s.Trouble(err)
	}
}

// Decode reads the ring in a ConfigMap. It fails, with an error that wraps ring.ErrMalformed,
// also where the owner's UID is missing: versions could not be compared.
func Decode(m *corev1.ConfigMap) (cacheclient.Snapshot, error) {
	published, err := ring.ReadPublished(m.Data[v1alpha1.OwnerUIDKey], []byte(m.Data[v1alpha1.RingKey]))
	if err != nil {
		return cacheclient.Snapshot{}, fmt.Errorf("keys %s and %s of ConfigMap %s/%s: %w", v1alpha1.OwnerUIDKey, v1alpha1.RingKey, m.Namespace, m.Name, err)
	}
	return published, nil
}

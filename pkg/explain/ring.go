package explain

import (
	"fmt"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
)

// ring is the published ring, nil if it could not be read; pods say why each is in it or not.
func (v *view) ring(pods []Pod) *Ring {
	if v.unread("ConfigMap") {
		return nil
	}
	r := &Ring{
		ConfigMap:       v.cache.Home() + "/" + v1alpha1.RingName(v.cache.Name),
		RecordedVersion: v.cache.Status.RingVersion,
		Members:         []string{},
		Trouble:         v.ringTrouble(),
	}
	if v.document != nil {
		r.Version = v.document.Version
		r.Members = append(r.Members, v.document.Members...)
	}
	if v.unread("Pod") {
		return r
	}
	known := map[string]bool{}
	for _, p := range pods {
		known[p.Name] = true
		switch {
		case p.Wanted && !p.InRing:
			r.Missing = append(r.Missing, PodReason{p.Name, p.Why})
		case p.InRing && (!p.Ready || p.State != PodServing && p.State != PodDraining):
			r.Stale = append(r.Stale, PodReason{p.Name, p.Why})
		}
	}
	for _, name := range r.Members {
		if !known[name] {
			r.Stale = append(r.Stale, PodReason{name, "does not exist, and is not wanted"})
		}
	}
	return r
}

// ringTrouble says what is the matter with the ring's document.
func (v *view) ringTrouble() string {
	recorded := v.cache.Status.RingVersion
	stored := v.World.Ring
	switch {
	case stored == nil && recorded == 0:
		return "none has been published yet"
	case stored == nil:
		return fmt.Sprintf("the ConfigMap is gone; the highest version so far was %d", recorded)
	case stored.Data[v1alpha1.OwnerUIDKey] != string(v.cache.UID):
		return fmt.Sprintf("it is the ring of another cache of this name (UID %q); this one has UID %s", stored.Data[v1alpha1.OwnerUIDKey], v.cache.UID)
	case v.document == nil:
		return v1alpha1.RingKey + " is not what the operator writes, so somebody edited it; it counts as lost"
	case v.document.Version < recorded:
		return fmt.Sprintf("it is older than version %d, which was published before, so somebody edited it", recorded)
	default:
		return ""
	}
}

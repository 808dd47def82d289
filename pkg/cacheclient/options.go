package cacheclient

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"
)

// Options configure a Client. Source and one of Address and Dial are required; every other zero
// value means the default stated with it.
type Options struct {
	// Source brings the rings.
	Source Source
	// Address gives the host:port of a member, for example InCluster. It is asked on every
	// connect, and the name in it is resolved on every connect, so that a restarted pod is found
	// at its new address.
	Address func(member string) string
	// Dial connects to a member, instead of Address: through a port-forward, for example. Its ctx
	// ends after DialTimeout.
	Dial func(ctx context.Context, member string) (net.Conn, error)

	// Timeout bounds a request to a member, connecting included; 0 means 500 ms. A member that
	// takes longer counts as dead: the request is a miss.
	Timeout time.Duration
	// DialTimeout bounds a connect, the resolution of the name included; 0 means 200 ms.
	DialTimeout time.Duration
	// MaxConnsPerMember bounds the connections to a member and with them the requests under way
	// there; 0 means 64. One more waits for its turn within its Timeout, and is a miss then. A
	// member of tiny-cache holds 1024 connections of all its clients together.
	MaxConnsPerMember int
	// MaxIdlePerMember bounds the idle connections kept to a member; 0 means 16. They are closed
	// after 30 s.
	MaxIdlePerMember int
	// MinBackoff is how long a member is left alone after its first failure; 0 means 100 ms. It
	// doubles with every further one up to MaxBackoff; 0 means 2 s. Up to a quarter is taken off
	// at random. Meanwhile requests to it are misses at once.
	MinBackoff, MaxBackoff time.Duration

	// Hooks are told what happens.
	Hooks Hooks
}

// InCluster gives the addresses of a cache's members inside its cluster, for Options.Address, by
// their DNS names and the port of tiny-cache. Namespace is where the members are: the cache's
// own, or its cell. The cluster's domain must be cluster.local.
func InCluster(cache, namespace string) func(member string) string {
	return func(member string) string {
		return member + "." + cache + "." + namespace + ".svc.cluster.local:8080"
	}
}

func (o Options) withDefaults() Options {
	setDefault(&o.Timeout, 500*time.Millisecond)
	setDefault(&o.DialTimeout, 200*time.Millisecond)
	setDefault(&o.MaxConnsPerMember, 64)
	setDefault(&o.MaxIdlePerMember, 16)
	setDefault(&o.MinBackoff, 100*time.Millisecond)
	setDefault(&o.MaxBackoff, max(2*time.Second, o.MinBackoff))
	return o
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (o Options) validate() error {
	switch {
	case o.Source == nil:
		return errors.New("cacheclient: Options.Source is required: without it there is no ring")
	case (o.Address == nil) == (o.Dial == nil):
		return errors.New("cacheclient: exactly one of Options.Address and Options.Dial is required")
	case o.MaxConnsPerMember < 0 || o.MaxIdlePerMember < 0:
		return fmt.Errorf("cacheclient: MaxConnsPerMember %d and MaxIdlePerMember %d: neither may be negative",
			o.MaxConnsPerMember, o.MaxIdlePerMember)
	case o.MinBackoff > o.MaxBackoff:
		return fmt.Errorf("cacheclient: MinBackoff %s is above MaxBackoff %s", o.MinBackoff, o.MaxBackoff)
	}
	for name, d := range map[string]time.Duration{
		"Timeout": o.Timeout, "DialTimeout": o.DialTimeout, "MinBackoff": o.MinBackoff, "MaxBackoff": o.MaxBackoff,
	} {
		if d < 0 {
			return fmt.Errorf("cacheclient: %s is negative: %s", name, d)
		}
	}
	return nil
}

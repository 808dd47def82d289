package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/sk1-services/distributed-cache/apis/v1alpha1"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheclient/apiwatch"
)

// reach is how the members are spoken to.
type reach struct {
	via     string
	timeout time.Duration
}

// The ways to the members.
const (
	viaAuto    = "auto"
	viaDNS     = "dns"
	viaForward = "forward"
)

func (r *reach) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.via, "via", viaAuto, "way to the members: dns, by their names in the cluster; forward, through the API server,\nwhich needs the right to create pods/portforward; auto, dns in a pod and forward elsewhere")
	f.DurationVar(&r.timeout, "timeout", time.Minute, "how long the command may take, the wait for a ring included")
	_ = cmd.RegisterFlagCompletionFunc("via", cobra.FixedCompletions([]string{viaAuto, viaDNS, viaForward}, cobra.ShellCompDirectiveNoFileComp))
}

func (r *reach) check() error {
	switch {
	case r.via != viaAuto && r.via != viaDNS && r.via != viaForward:
		return wrongUse("--via %s: auto, dns or forward", r.via)
	case r.timeout <= 0:
		return wrongUse("--timeout %s: more than 0", r.timeout)
	}
	return nil
}

// forwards tells whether the members are reached through the API server.
func (r *reach) forwards() bool {
	return r.via == viaForward || r.via == viaAuto && os.Getenv("KUBERNETES_SERVICE_HOST") == ""
}

// session is a client of one cache, with its first ring.
type session struct {
	*cacheclient.Client
	cluster   *cluster
	name      string
	namespace string
	close     func()
}

// open finds a cache and waits for its ring. The caller closes the session.
func (t *target) open(ctx context.Context, r *reach, k *keyFlags, s streams) (*session, error) {
	c, err := t.connect()
	if err != nil {
		return nil, err
	}
	v := &session{cluster: c}
	if v.name, err = c.named(ctx, k.cache); err != nil {
		return nil, err
	}
	if v.namespace, err = c.home(ctx, v.name); err != nil {
		return nil, err
	}
	options := cacheclient.Options{
		Source: c.source(v.namespace, v.name, s),
		Hooks:  cacheclient.Hooks{Request: newTroubles(s).tell},
	}
	closeForwards := func() {}
	if r.forwards() {
		f := &forwarder{cluster: c, namespace: v.namespace}
		options.Dial, closeForwards = f.dial, f.close
		options.DialTimeout, options.Timeout = 10*time.Second, 10*time.Second
	} else {
		options.Address = func(member string) string { return v.address(member) }
	}
	if v.Client, err = cacheclient.New(options); err != nil {
		return nil, err
	}
	v.close = func() {
		_ = v.Close() // the work is done or has failed
		closeForwards()
	}
	if err := v.Wait(ctx); err != nil {
		v.close()
		return nil, fmt.Errorf("ring of cache %s/%s: %w", c.namespace, v.name, err)
	}
	return v, nil
}

// troubles tells of each member that does not answer, once.
type troubles struct {
	streams
	mu   sync.Mutex
	told map[string]bool
}

func newTroubles(s streams) *troubles { return &troubles{streams: s, told: map[string]bool{}} }

func (t *troubles) tell(e cacheclient.Event) {
	if e.Outcome != cacheclient.Unreachable && e.Outcome != cacheclient.Busy {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.told[e.Member] {
		t.told[e.Member] = true
		fmt.Fprintf(t.err, "%s: %v\n", e.Member, e.Err)
	}
}

// source watches the ring of a cache, and tells what is in the way.
func (c *cluster) source(namespace, name string, s streams) apiwatch.Source {
	return apiwatch.Source{
		Client: c.clientset, Namespace: namespace, Cache: name,
		Trouble: func(err error) { fmt.Fprintln(s.err, err) },
	}
}

func (v *session) service() string {
	return fmt.Sprintf("%s.%s.svc.%s", v1alpha1.ServiceName(v.name), v.namespace, v.cluster.domain)
}

// address is where a member is reached from within the cluster.
func (v *session) address(member string) string {
	return net.JoinHostPort(member+"."+v.service(), fmt.Sprint(v1alpha1.Port))
}

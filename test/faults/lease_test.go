//go:build integration

package faults

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
)

// The lease is that of a release, with its times: a new leader waits out one that is not renewed
// and tries again every two seconds or so; an old one, when it cannot renew, tries until its
// deadline and ends.
const (
	leaseName      = "distributedcache-operator"
	leaseNamespace = "default"
	takeover       = 15*time.Second + 10*time.Second
	renewal        = 10*time.Second + 5*time.Second
)

// elected makes an operator wait for the lease.
var elected = []string{"--leader-elect", "--leader-election-namespace", leaseNamespace}

// awaitLeader waits until somebody leads who is not the one before, and gives its identity.
func (l *lab) awaitLeader(t *testing.T, before string) string {
	t.Helper()
	lease := &coordinationv1.Lease{}
	NewWithT(t).Eventually(func() string {
		lease = &coordinationv1.Lease{}
		err := l.k8s.Get(t.Context(), types.NamespacedName{Namespace: leaseNamespace, Name: leaseName}, lease)
		if apierrors.IsNotFound(err) || lease.Spec.HolderIdentity == nil {
			return before
		}
		check(t, err)
		return *lease.Spec.HolderIdentity
	}, takeover).ShouldNot(BeElementOf(before, ""), "nobody takes the lease")
	return *lease.Spec.HolderIdentity
}

package pki

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"os"
	"slices"
	"testing"
	"time"
)

func TestCreate(t *testing.T) {
	now := time.Now()
	address := net.IPv4(172, 30, 5, 2)
	store, err := Create(t.TempDir(), Endpoints{NodeName: "n1", Address: address, Service: net.IPv4(10, 96, 0, 1)}, now)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		name, common string
		group        string
		serves       []string
	}{
		"the API server serves under every name and address it has": {
			apiServer, "kube-apiserver", "",
			[]string{"172.30.5.2", "127.0.0.1", "10.96.0.1", "localhost", "kubernetes", "kubernetes.default.svc.cluster.local"},
		},
		"the kubelet is a node and serves": {Kubelet, "system:node:n1", "system:nodes", []string{"172.30.5.2", "n1"}},
		"the administrator is a master":    {Admin, "localkube:admin", "system:masters", nil},
		"the proxy is the built-in user":   {KubeProxy, "system:kube-proxy", "", nil},
		"the scheduler too":                {Scheduler, "system:kube-scheduler", "", []string{"localhost"}},
	}
	roots := x509.NewCertPool()
	roots.AddCert(readCert(t, store.CA()))
	for title, tt := range tests {
		t.Run(title, func(t *testing.T) {
			if _, err := tls.LoadX509KeyPair(store.CertFile(tt.name), store.KeyFile(tt.name)); err != nil {
				t.Fatal(err)
			}
			cert := readCert(t, store.CertFile(tt.name))
			if cert.Subject.CommonName != tt.common {
				t.Errorf("common name %q, want %q", cert.Subject.CommonName, tt.common)
			}
			if tt.group != "" && !slices.Contains(cert.Subject.Organization, tt.group) {
				t.Errorf("groups %q, want %q among them", cert.Subject.Organization, tt.group)
			}
			for _, usage := range usages(tt.serves) {
				if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{usage}}); err != nil {
					t.Errorf("usage %v: %v", usage, err)
				}
			}
			for _, host := range tt.serves {
				if err := cert.VerifyHostname(host); err != nil {
					t.Error(err)
				}
			}
			if left := cert.NotAfter.Sub(now); left > 31*24*time.Hour || left < 29*24*time.Hour {
				t.Errorf("valid for %s, want thirty days", left)
			}
		})
	}
}

func TestClientsCannotServe(t *testing.T) {
	ca, err := NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ca.Issue(Subject{CommonName: "someone"})
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(pair.Cert)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(cert.ExtKeyUsage, x509.ExtKeyUsageServerAuth) {
		t.Error("a certificate without a name to serve under may serve")
	}
}

func TestKeysAreTheOwnersOnly(t *testing.T) {
	store, err := Create(t.TempDir(), Endpoints{NodeName: "n", Address: net.IPv4(127, 0, 0, 1), Service: net.IPv4(10, 96, 0, 1)}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{store.KeyFile(Admin), store.TokenKey(), store.ServingKey()} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %o", file, info.Mode().Perm())
		}
	}
}

func usages(serves []string) []x509.ExtKeyUsage {
	if serves == nil {
		return []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	}
	return []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
}

func readCert(t *testing.T, file string) *x509.Certificate {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(raw)
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

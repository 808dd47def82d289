package pki

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Clients of the API server, by the name under which their pair is kept.
const (
	Admin             = "admin"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kubelet           = "kubelet"
	KubeProxy         = "kube-proxy"
	CoreDNS           = "coredns"
	KubeRouter        = "kube-router"
	Kwok              = "kwok"
	FrontProxy        = "front-proxy"
	apiServer         = "kube-apiserver"
	serviceAccount    = "service-account"
	authority         = "ca"
)

// FrontProxyName is how the API server introduces itself to aggregated APIs.
const FrontProxyName = "localkube:front-proxy"

// Store is a directory with the PEM files of one instance.
type Store struct{ dir string }

// Endpoints say where an instance serves.
type Endpoints struct {
	NodeName string
	// Address is the API server's, and the kubelet's.
	Address net.IP
	// Service is the API server's address inside the cluster.
	Service net.IP
}

// Create makes all keys and certificates and writes them to dir.
func Create(dir string, at Endpoints, now time.Time) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the certificate directory: %w", err)
	}
	s := &Store{dir: dir}
	ca, err := NewAuthority(now)
	if err != nil {
		return nil, err
	}
	if err := s.write(authority, Pair{Cert: ca.Cert()}); err != nil {
		return nil, err
	}
	for name, subject := range subjects(at) {
		pair, err := ca.Issue(subject)
		if err != nil {
			return nil, err
		}
		if err := s.write(name, pair); err != nil {
			return nil, err
		}
	}
	signing, err := NewSigningKey()
	if err != nil {
		return nil, err
	}
	return s, s.write(serviceAccount, signing)
}

// Open reads an existing store.
func Open(dir string) *Store { return &Store{dir: dir} }

func subjects(at Endpoints) map[string]Subject {
	loopback := net.IPv4(127, 0, 0, 1)
	return map[string]Subject{
		apiServer: {
			CommonName: "kube-apiserver",
			DNS: []string{
				"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
				"kubernetes.default.svc.cluster.local",
			},
			IPs: slices.CompactFunc([]net.IP{loopback, at.Address, at.Service}, net.IP.Equal),
		},
		Kubelet: {
			CommonName: "system:node:" + at.NodeName,
			Groups:     []string{"system:nodes"},
			DNS:        []string{at.NodeName},
			IPs:        []net.IP{at.Address},
		},
		Admin:             {CommonName: "localkube:admin", Groups: []string{"system:masters"}},
		ControllerManager: {CommonName: "system:kube-controller-manager", DNS: []string{"localhost"}, IPs: []net.IP{loopback}},
		Scheduler:         {CommonName: "system:kube-scheduler", DNS: []string{"localhost"}, IPs: []net.IP{loopback}},
		FrontProxy:        {CommonName: FrontProxyName},
		KubeProxy:         {CommonName: "system:kube-proxy"},
		CoreDNS:           {CommonName: "localkube:coredns"},
		KubeRouter:        {CommonName: "localkube:kube-router"},
		Kwok:              {CommonName: "localkube:kwok"},
	}
}

// CA is the file of the authority's certificate.
func (s *Store) CA() string { return s.CertFile(authority) }

// ServingCert and ServingKey are the API server's.
func (s *Store) ServingCert() string { return s.CertFile(apiServer) }

// ServingKey is the key to ServingCert.
func (s *Store) ServingKey() string { return s.KeyFile(apiServer) }

// TokenPublicKey verifies service-account tokens.
func (s *Store) TokenPublicKey() string { return s.CertFile(serviceAccount) }

// TokenKey signs service-account tokens.
func (s *Store) TokenKey() string { return s.KeyFile(serviceAccount) }

// CertFile is the certificate of a named client.
func (s *Store) CertFile(name string) string { return filepath.Join(s.dir, name+".crt") }

// KeyFile is the key of a named client.
func (s *Store) KeyFile(name string) string { return filepath.Join(s.dir, name+".key") }

func (s *Store) write(name string, pair Pair) error {
	if err := os.WriteFile(s.CertFile(name), pair.Cert, 0o644); err != nil {
		return fmt.Errorf("write the certificate of %s: %w", name, err)
	}
	if pair.Key == nil {
		return nil
	}
	if err := os.WriteFile(s.KeyFile(name), pair.Key, 0o600); err != nil {
		return fmt.Errorf("write the key of %s: %w", name, err)
	}
	return nil
}

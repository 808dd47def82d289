// Package kubeapi is the little that localkube itself asks of an API server: whether it is
// ready, to apply a manifest, to read a node. It needs no Kubernetes library for that.
package kubeapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/pki"
)

// Client speaks as the administrator.
type Client struct {
	server string
	http   *http.Client
}

// New makes a client of the server from the instance's certificates.
func New(server string, store *pki.Store) (*Client, error) {
	ca, err := os.ReadFile(store.CA())
	if err != nil {
		return nil, fmt.Errorf("read the authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%s holds no certificate", store.CA())
	}
	pair, err := tls.LoadX509KeyPair(store.CertFile(pki.Admin), store.KeyFile(pki.Admin))
	if err != nil {
		return nil, fmt.Errorf("read the administrator's certificate: %w", err)
	}
	// No proxy: the server is on this machine, whatever the environment says.
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool, Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2: true,
	}
	return &Client{server: server, http: &http.Client{Transport: transport, Timeout: 10 * time.Second}}, nil
}

// Ready reports nil once the server answers requests.
func (c *Client) Ready(ctx context.Context) error {
	_, err := c.do(ctx, http.MethodGet, "/readyz", nil)
	return err
}

// Get reads an object or a list into out.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	raw, err := c.do(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("read the answer to %s: %w", path, err)
	}
	return nil
}

func (c *Client) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("ask the API server: %w", err)
	}
	req.Header.Set("User-Agent", "localkube")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/apply-patch+yaml")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the API server: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("ask the API server: %w", err)
	}
	if resp.StatusCode >= 300 {
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, strings.TrimSpace(string(raw)))
	}
	return raw, nil
}

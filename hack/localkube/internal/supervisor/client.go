package supervisor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// Client talks to the supervisor of one instance.
type Client struct {
	http *http.Client
	// alive is this process's end of the leash of a supervisor that it has spawned.
	alive *os.File
}

// NewClient reaches the supervisor that listens on the socket.
func NewClient(socket string) *Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
	return &Client{http: &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}}
}

// Status lists the components in the order of their first start.
func (c *Client) Status(ctx context.Context) ([]Status, error) {
	var list []Status
	return list, c.call(ctx, pathStatus, nil, &list)
}

// SetUpNetwork configures the node's end of the veth pair.
func (c *Client) SetUpNetwork(ctx context.Context, n Network) error {
	return c.call(ctx, pathNetwork, n, nil)
}

// Start runs a component. A spec of only a name runs the component as it was started before.
func (c *Client) Start(ctx context.Context, spec Spec) error {
	return c.call(ctx, pathStart, spec, nil)
}

// Stop ends a component and returns when it is gone.
func (c *Client) Stop(ctx context.Context, name string, grace time.Duration) error {
	seconds := int((grace + time.Second - 1) / time.Second)
	return c.call(ctx, pathStop, StopRequest{Name: name, GraceSeconds: seconds}, nil)
}

// Shutdown ends all components and then the supervisor; it answers before the end.
func (c *Client) Shutdown(ctx context.Context) error {
	return c.call(ctx, pathShutdown, nil, nil)
}

// Await waits until the supervisor answers.
func (c *Client) Await(ctx context.Context) error {
	for {
		_, err := c.Status(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the supervisor does not answer: %w", errors.Join(ctx.Err(), err))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (c *Client) call(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://supervisor"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask the supervisor: %w", err)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("ask the supervisor: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("ask the supervisor: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		return errors.New(strings.TrimSpace(string(raw)))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("read the supervisor's answer: %w", err)
	}
	return nil
}

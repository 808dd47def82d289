package cacheclient

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxResponse bounds what is read of a response: no server allows a larger value.
const maxResponse = 128 << 20

// ErrRefused is wrapped by the error of a request that the member understood and refused, for
// example because the value is too large. It says what would be right.
var ErrRefused = errors.New("refused")

// Get reads a key. A key that is not cached, or whose owner cannot be reached, is not found.
func (c *Client) Get(ctx context.Context, key []byte) (value []byte, found bool, err error) {
	answer, err := c.do(ctx, http.MethodGet, key, "", nil)
	switch {
	case err != nil || answer == nil:
		return nil, false, err
	case answer.status == http.StatusOK:
		return answer.body, true, nil
	case answer.status == http.StatusNotFound:
		return nil, false, nil
	}
	return nil, false, refusal(answer)
}

// Set stores a value for ttl, which is rounded up to whole seconds; 0 stores it until it is
// evicted. Stored is false if the owner cannot be reached: the value is then dropped.
func (c *Client) Set(ctx context.Context, key, value []byte, ttl time.Duration) (stored bool, err error) {
	if ttl < 0 {
		return false, fmt.Errorf("ttl %s: 0 or more is needed", ttl)
	}
	query := ""
	if ttl > 0 {
		query = "?ttl=" + strconv.FormatInt(int64((ttl+time.Second-1)/time.Second), 10)
	}
	answer, err := c.do(ctx, http.MethodPut, key, query, value)
	switch {
	case err != nil || answer == nil:
		return false, err
	case answer.status/100 == 2:
		return true, nil
	}
	return false, refusal(answer)
}

// Delete removes a key. Removed is false if it was not cached or its owner cannot be reached.
func (c *Client) Delete(ctx context.Context, key []byte) (removed bool, err error) {
	answer, err := c.do(ctx, http.MethodDelete, key, "", nil)
	switch {
	case err != nil || answer == nil:
		return false, err
	case answer.status/100 == 2:
		return true, nil
	case answer.status == http.StatusNotFound:
		return false, nil
	}
	return false, refusal(answer)
}

// answer is what a member said.
type answer struct {
	status int
	body   []byte
}

// do sends a request to the key's owner. Without an answer and without an error the owner could
// not be reached, which a cache's user need not know.
func (c *Client) do(ctx context.Context, method string, key []byte, query string, value []byte) (*answer, error) {
	member, err := c.Owner(key)
	if err != nil {
		return nil, err
	}
	url := "http://" + c.options.Address(member) + "/v1/cache/" + escape(key) + query
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(value))
	if err != nil {
		return nil, fmt.Errorf("request to %s: %w", member, err)
	}
	// All our methods are idempotent; the empty key says so to the transport and is not sent. So a
	// connection that the member closed while idle costs a retry and not the request.
	request.Header["Idempotency-Key"] = []string{}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.unreachable(ctx, member, err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err != nil || len(body) > maxResponse {
		return nil, c.unreachable(ctx, member, cmp.Or(err, errTooLong))
	}
	if response.StatusCode >= http.StatusInternalServerError {
		return nil, c.unreachable(ctx, member, errors.New(response.Status))
	}
	return &answer{status: response.StatusCode, body: body}, nil
}

var errTooLong = fmt.Errorf("an answer of more than %d bytes", maxResponse)

// unreachable tells of a member that could not be reached. It is no error to the caller, unless
// the caller itself gave up.
func (c *Client) unreachable(ctx context.Context, member string, err error) error {
	if ctx.Err() == nil && c.options.Unreachable != nil {
		c.options.Unreachable(member, err)
	}
	return ctx.Err()
}

func refusal(a *answer) error {
	return fmt.Errorf("%w: %d %s: %s", ErrRefused, a.status, http.StatusText(a.status), strings.TrimSpace(string(a.body)))
}

// escape percent-encodes every byte of a key but the unreserved ones of RFC 3986, so that no
// client, proxy or server takes a slash or a dot for structure.
func escape(key []byte) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range key {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '~' {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

package cacheclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

const (
	// maxResponse bounds what is read of a response: no server allows a larger value.
	maxResponse = 128 << 20
	// trusted is how much is set aside for a body on the word of its sender alone.
	trusted = 1 << 20
)

var (
	errTooLong = fmt.Errorf("an answer of more than %d bytes", maxResponse)
	errFull    = errors.New("the member takes no further connections for now")
)

// request is what is asked of a member.
type request struct {
	operation Operation
	method    string
	key       []byte
	query     string
	value     []byte
	// keys is how many a batch has, whose operations are in value; 0 is a request for key.
	keys int
}

// path is as it is sent: the escapes in it are the key's own.
func (r request) path() string {
	if r.keys > 0 {
		return "/v1/batch"
	}
	return "/v1/cache/" + escape(r.key)
}

// answer is what a member said, and what that means.
type answer struct {
	outcome Outcome
	status  int
	body    []byte
	// results are those of a batch.
	results []batch.Result
}

// exchange sends a request and reads the whole answer.
func (m *member) exchange(ctx context.Context, r request) (answer, error) {
	m.running.RLock()
	defer m.running.RUnlock()
	// The transport may go on reading a body after the request has ended, when the value is the
	// caller's again: hence the copy. Of a reader of bytes it knows that head and body can go
	// together, and how to send it once more.
	sent, err := http.NewRequestWithContext(ctx, r.method, m.base, bytes.NewReader(bytes.Clone(r.value)))
	if err != nil {
		return answer{}, fmt.Errorf("request to member %q: %w", m.name, err)
	}
	// Opaque is sent as it is.
	sent.URL = &url.URL{Scheme: "http", Host: m.name, Opaque: r.path(), RawQuery: r.query}
	if r.keys > 0 {
		sent.Header["Content-Type"] = []string{batch.MediaType}
	}
	// All that we ask is idempotent; the empty key says so to the transport and is not sent. So a
	// connection that the member closed while idle costs a retry and not the request.
	sent.Header["Idempotency-Key"] = []string{}
	response, err := m.transport.RoundTrip(sent)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close() //nolint:errcheck // it was read
	if response.StatusCode == http.StatusServiceUnavailable && response.Close {
		m.overflow(response)
	}
	body, err := readBody(response)
	if err != nil {
		return answer{}, err
	}
	a := answer{outcome: meaning(r.operation, response.StatusCode), status: response.StatusCode, body: body}
	if r.keys > 0 {
		a.understand(r.keys)
	}
	return a, nil
}

// understand reads the answer to a batch. One that says something else is refused by it: the
// batch is then nothing that the member knows.
func (a *answer) understand(keys int) {
	if a.outcome == Busy {
		return
	}
	a.outcome = Refused
	if a.status != http.StatusOK {
		return
	}
	var err error
	if a.results, err = results(a.body, keys); err != nil {
		a.body = []byte(err.Error())
		return
	}
	a.outcome = Answered
}

func readBody(response *http.Response) ([]byte, error) {
	if n := response.ContentLength; n >= 0 && n <= trusted {
		body := make([]byte, n)
		_, err := io.ReadFull(response.Body, body)
		return body, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	if err == nil && len(body) > maxResponse {
		return nil, errTooLong
	}
	return body, err
}

// meaning is what a status says of an operation. A member that is overloaded, or whose large
// values are under way, or a proxy before it, says 429 or 503; 408 says that the request was too
// slow on its way. None of them is for the caller to mend, and the member is alive; so are those
// that fail within.
func meaning(o Operation, status int) Outcome {
	switch {
	case o == OperationGet && status == http.StatusOK:
		return Hit
	case o == OperationSet && status/100 == 2:
		return Stored
	case o == OperationDelete && status/100 == 2:
		return Removed
	case o != OperationSet && status == http.StatusNotFound:
		return Miss
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= http.StatusInternalServerError:
		return Busy
	}
	return Refused
}

// err is the answer as an error, in the member's words.
func (a answer) err() error {
	text := strings.TrimSpace(string(a.body[:min(len(a.body), 1<<10)]))
	return fmt.Errorf("%w: %d %s: %s", ErrRefused, a.status, http.StatusText(a.status), text)
}

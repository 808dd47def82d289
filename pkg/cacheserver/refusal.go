package cacheserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/valyala/fasthttp"
)

// refusal is an error answer: what the client is told and nothing else.
type refusal struct {
	status  int
	message string
	// allow lists the methods for a 405.
	allow string
	// cut says that the rest of the request will not be read, so the
	// connection must be closed after the answer.
	cut bool
}

// notOnLoop is what a loop is told instead of being made to wait.
var notOnLoop = &refusal{}

func refuse(status int, message string) *refusal { return &refusal{status: status, message: message} }

func refuseMethod(method []byte, allow string) *refusal {
	return &refusal{
		status: http.StatusMethodNotAllowed, allow: allow,
		message: fmt.Sprintf("the method %q is not allowed here: use %s", clip(method), allow),
	}
}

func (r *refusal) body() []byte {
	b, err := json.Marshal(map[string]string{"error": r.message})
	if err != nil { // cannot happen for strings
		return []byte(`{"error":"internal error"}`)
	}
	return append(b, '\n')
}

// answer writes the refusal as the response of ctx.
func (r *refusal) answer(ctx *fasthttp.RequestCtx) {
	ctx.Response.Reset()
	ctx.SetStatusCode(r.status)
	ctx.Response.Header.SetContentType("application/json")
	if r.allow != "" {
		ctx.Response.Header.Set(fasthttp.HeaderAllow, r.allow)
	}
	if r.status == http.StatusServiceUnavailable {
		ctx.Response.Header.Set(fasthttp.HeaderRetryAfter, "1")
	}
	ctx.Response.SetBody(r.body())
	if r.cut {
		ctx.SetConnectionClose()
	}
}

// response is the refusal as a whole HTTP/1.1 response, for a connection that
// fasthttp is not serving.
func (r *refusal) response() []byte {
	body := r.body()
	retry := ""
	if r.status == http.StatusServiceUnavailable {
		retry = "Retry-After: 1\r\n"
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%sConnection: close\r\n\r\n%s",
		r.status, http.StatusText(r.status), len(body), retry, body)
}

// writeTo writes response to a connection.
func (r *refusal) writeTo(c net.Conn, within time.Duration) error {
	if err := c.SetWriteDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	_, err := c.Write(r.response())
	return err
}

// refuseRequest turns an error of fasthttp's, met while reading a request, into
// an answer.
func refuseRequest(err error) *refusal {
	var small *fasthttp.ErrSmallBuffer
	var network net.Error
	r := refuse(http.StatusBadRequest, "the request is not valid HTTP/1.1")
	switch {
	case errors.As(err, &small):
		r = refuse(http.StatusRequestHeaderFieldsTooLarge, "request line and header are too large together")
	case errors.As(err, &network) && network.Timeout():
		r = refuse(http.StatusRequestTimeout, "the request did not arrive in time")
	}
	r.cut = true
	return r
}

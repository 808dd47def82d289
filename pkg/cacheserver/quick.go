package cacheserver

import (
	"bufio"
	"bytes"

	"github.com/valyala/fasthttp"
)

const (
	// quickRequest is the longest request, with its body, that a loop answers.
	quickRequest = 8 << 10
	// quickAnswer is the longest answer that takes a loop one write: a small value
	// and the header before it.
	quickAnswer = smallValue + 1<<10
)

// quick answers ordinary requests that have arrived as a whole, and none but
// those: whatever is large, late, strange, wrong or the last of its connection is
// left to fasthttp, which reads it from its beginning. So there is one judge of
// what HTTP is, and one place where somebody waits for a client.
type quick struct {
	server *Server
	ctx    fasthttp.RequestCtx
	in     bytes.Reader
	reader *bufio.Reader
	body   bytes.Reader
	out    output
	writer *bufio.Writer
}

func newQuick(s *Server) *quick {
	q := &quick{server: s, reader: bufio.NewReaderSize(nil, quickRequest)}
	q.writer = bufio.NewWriterSize(&q.out, quickAnswer)
	return q
}

// answer answers the requests in b, up to the first that is not for it or whose
// answer the client does not take at once. It returns what of b and what of the
// answers is left, valid until the next call. An error is the end of the
// connection.
func (q *quick) answer(c *conn, b []byte) (unread, unsent []byte, err error) {
	q.out.reset(c.socket)
	q.writer.Reset(&q.out)
	for len(b) > 0 && len(q.out.rest) == 0 {
		n, err := q.answerFirst(c, b)
		if err != nil {
			return nil, nil, err
		}
		if n == 0 {
			break
		}
		b = b[n:]
	}
	if err := q.writer.Flush(); err != nil {
		return nil, nil, err
	}
	return b, q.out.rest, nil
}

// answerFirst returns the length of the request that it answered, or 0.
func (q *quick) answerFirst(c *conn, b []byte) (int, error) {
	ctx := &q.ctx
	ctx.Request.Reset()
	ctx.Response.Reset()
	ctx.Init2(c, q.server.http.Logger, false)
	q.in.Reset(b)
	q.reader.Reset(&q.in)
	// What is wrong with a header is for fasthttp to say.
	understood := ctx.Request.Header.Read(q.reader) == nil && ordinary(&ctx.Request)
	if !understood || q.server.closing.Load() {
		return 0, nil
	}
	head := len(b) - q.reader.Buffered()
	end := head + max(0, ctx.Request.Header.ContentLength())
	if end > len(b) {
		return 0, nil
	}
	if end > head {
		q.body.Reset(b[head:end])
		ctx.Request.SetBodyStream(&q.body, end-head)
	}
	if !q.server.handle(ctx) {
		return 0, nil
	}
	if ctx.IsHead() {
		ctx.Response.SkipBody = true
	}
	return end, ctx.Response.Write(q.writer)
}

// ordinary reports whether a request is one for a loop, by its header.
func ordinary(r *fasthttp.Request) bool {
	h := &r.Header
	length := h.ContentLength()
	body := h.IsPut() || h.IsPost()
	switch {
	case !h.IsHTTP11() || h.ConnectionClose() || r.MayContinue():
		return false
	case length == chunked, body && length < 0, !body && length > 0:
		return false
	}
	uri := h.RequestURI()
	return (bytes.HasPrefix(uri, []byte(keyPrefix)) || string(uri) == batchPath) &&
		!bytes.ContainsFunc(uri, isControl) && plainHost(h.Host())
}

// chunked is the length that fasthttp gives a body that comes in chunks.
const chunked = -1

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// plainHost reports whether host is a name or an IPv4 address, with or without a
// port.
func plainHost(host []byte) bool {
	name, port, _ := bytes.Cut(host, []byte(":"))
	isOther := func(r rune) bool { return (r < 'a' || 'z' < r) && (r < '0' || '9' < r) && r != '.' && r != '-' }
	noDigit := func(r rune) bool { return r < '0' || '9' < r }
	return len(name) > 0 && !bytes.ContainsFunc(name, isOther) && !bytes.ContainsFunc(port, noDigit)
}

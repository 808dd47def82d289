package wire

import (
	"bytes"
	"net/http"
	"strconv"
)

// HTTP is tiny-cache's API over HTTP/1.1 with connections that are kept. Keys must be such that a
// URL carries them as they are.
type HTTP struct{}

const (
	cachePath = " /v1/cache/"
	// httpTail ends a head whose body is empty. Host is what HTTP/1.1 demands and no more is sent.
	httpTail = " HTTP/1.1\r\nHost: c\r\n"
	// longestHead bounds what is searched for the end of a head.
	longestHead = 64 << 10
)

var (
	endOfHead     = []byte("\r\n\r\n")
	contentLength = []byte("content-length:")
)

// AppendGet appends a GET.
func (HTTP) AppendGet(dst, key []byte) []byte {
	dst = append(dst, http.MethodGet+cachePath...)
	dst = append(dst, key...)
	return append(dst, httpTail+"\r\n"...)
}

// AppendSet appends a PUT without a time to live.
func (HTTP) AppendSet(dst, key, value []byte) []byte {
	dst = append(dst, http.MethodPut+cachePath...)
	dst = append(dst, key...)
	return append(appendHead(dst, "", len(value)), value...)
}

// appendHead ends the head of a request that has a body, after further lines of it.
func appendHead(dst []byte, lines string, length int) []byte {
	dst = append(dst, httpTail...)
	dst = append(dst, lines+"Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(length), 10)
	return append(dst, endOfHead...)
}

// Parse reads one reply.
func (HTTP) Parse(op Op, b []byte) (int, Reply, error) {
	n, status, body, err := httpReply(b)
	switch {
	case n == 0:
		return 0, Reply{}, err
	case op == Batch && status == http.StatusOK:
		r, err := readResults(body)
		if err != nil {
			return 0, Reply{}, err
		}
		return n, r, nil
	case op == Get && status == http.StatusOK:
		return n, Reply{Hits: 1, Bytes: len(body)}, nil
	case op == Get && status == http.StatusNotFound:
		return n, Reply{}, nil
	case op == Set && status == http.StatusNoContent:
		return n, Reply{Hits: 1}, nil
	}
	return 0, Reply{}, unexpected("tiny-cache", b)
}

// httpReply reads a response that states its length, as this server's all do.
func httpReply(b []byte) (length, status int, body []byte, err error) {
	head := bytes.Index(b, endOfHead)
	if head < 0 {
		if len(b) > longestHead {
			return 0, 0, nil, unexpected("tiny-cache", b)
		}
		return 0, 0, nil, nil
	}
	if !bytes.HasPrefix(b, []byte("HTTP/1.1 ")) || head < len("HTTP/1.1 200") {
		return 0, 0, nil, unexpected("tiny-cache", b)
	}
	status, ok := number(b[9:12])
	if !ok {
		return 0, 0, nil, unexpected("tiny-cache", b)
	}
	at := head + len(endOfHead)
	if status == http.StatusNoContent || status == http.StatusNotModified {
		return at, status, nil, nil
	}
	size, ok := bodyLength(b[:head+len(crlf)])
	if !ok {
		return 0, 0, nil, unexpected("tiny-cache", b)
	}
	if len(b) < at+size {
		return 0, 0, nil, nil
	}
	return at + size, status, b[at : at+size], nil
}

// bodyLength finds Content-Length among the lines of a head.
func bodyLength(head []byte) (int, bool) {
	for {
		line, n := cutLine(head)
		if n == 0 {
			return 0, false
		}
		if len(line) > len(contentLength) && bytes.EqualFold(line[:len(contentLength)], contentLength) {
			return number(bytes.TrimSpace(line[len(contentLength):]))
		}
		head = head[n:]
	}
}

package wire

import (
	"bytes"
	"strconv"
)

// Redis is RESP2. A batch is one MGET.
type Redis struct{}

var redisDone = []byte("+OK")

// AppendGet appends a GET.
func (Redis) AppendGet(dst, key []byte) []byte {
	dst = append(dst, "*2\r\n$3\r\nGET\r\n"...)
	return appendBulk(dst, key)
}

// AppendSet appends a SET.
func (Redis) AppendSet(dst, key, value []byte) []byte {
	dst = append(dst, "*3\r\n$3\r\nSET\r\n"...)
	return appendBulk(appendBulk(dst, key), value)
}

// AppendBatch appends an MGET.
func (Redis) AppendBatch(dst []byte, keys [][]byte) []byte {
	dst = append(dst, '*')
	dst = strconv.AppendInt(dst, int64(len(keys)+1), 10)
	dst = append(dst, "\r\n$4\r\nMGET\r\n"...)
	for _, key := range keys {
		dst = appendBulk(dst, key)
	}
	return dst
}

func appendBulk(dst, b []byte) []byte {
	dst = append(dst, '$')
	dst = strconv.AppendInt(dst, int64(len(b)), 10)
	dst = append(dst, "\r\n"...)
	dst = append(dst, b...)
	return append(dst, "\r\n"...)
}

// Parse reads one reply.
func (Redis) Parse(op Op, b []byte) (int, Reply, error) {
	line, at := cutLine(b)
	if at == 0 {
		return 0, Reply{}, nil
	}
	values := 1
	switch {
	case op == Set && bytes.Equal(line, redisDone):
		return at, Reply{Hits: 1}, nil
	case op == Set:
		return 0, Reply{}, unexpected("redis", b)
	case op == Get:
		at = 0
	case op == Batch:
		n, ok := number(line[min(1, len(line)):])
		if !ok || line[0] != '*' {
			return 0, Reply{}, unexpected("redis", b)
		}
		values = n
	}
	var r Reply
	for range values {
		n, hit, size, err := bulk(b[at:])
		if n == 0 {
			return 0, Reply{}, err
		}
		at += n
		if hit {
			r.Hits++
			r.Bytes += size
		}
	}
	return at, r, nil
}

// bulk reads one bulk string, or the null that stands for a miss.
func bulk(b []byte) (length int, hit bool, size int, err error) {
	line, n := cutLine(b)
	switch {
	case n == 0:
		return 0, false, 0, nil
	case string(line) == "$-1":
		return n, false, 0, nil
	case len(line) == 0 || line[0] != '$':
		return 0, false, 0, unexpected("redis", b)
	}
	size, ok := number(line[1:])
	if !ok {
		return 0, false, 0, unexpected("redis", b)
	}
	if len(b) < n+size+len(crlf) {
		return 0, false, 0, nil
	}
	return n + size + len(crlf), true, size, nil
}

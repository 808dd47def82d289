package wire

import (
	"bytes"
	"strconv"
)

// Memcached is its text protocol. A batch is one get of many keys.
type Memcached struct{}

var (
	crlf          = []byte("\r\n")
	memcachedEnd  = []byte("END")
	memcachedDone = []byte("STORED")
	valuePrefix   = []byte("VALUE ")
)

// AppendGet appends a get of one key.
func (Memcached) AppendGet(dst, key []byte) []byte {
	dst = append(dst, "get "...)
	dst = append(dst, key...)
	return append(dst, "\r\n"...)
}

// AppendSet appends a set without flags and without expiry.
func (Memcached) AppendSet(dst, key, value []byte) []byte {
	dst = append(dst, "set "...)
	dst = append(dst, key...)
	dst = append(dst, " 0 0 "...)
	dst = strconv.AppendInt(dst, int64(len(value)), 10)
	dst = append(dst, "\r\n"...)
	dst = append(dst, value...)
	return append(dst, "\r\n"...)
}

// AppendBatch appends a get of all keys.
func (Memcached) AppendBatch(dst []byte, keys [][]byte) []byte {
	dst = append(dst, "get"...)
	for _, key := range keys {
		dst = append(dst, ' ')
		dst = append(dst, key...)
	}
	return append(dst, "\r\n"...)
}

// Parse reads one reply.
func (Memcached) Parse(op Op, b []byte) (int, Reply, error) {
	if op == Set {
		line, n := cutLine(b)
		if n == 0 {
			return 0, Reply{}, nil
		}
		if !bytes.Equal(line, memcachedDone) {
			return 0, Reply{}, unexpected("memcached", b)
		}
		return n, Reply{Hits: 1}, nil
	}
	var r Reply
	for at := 0; ; {
		line, n := cutLine(b[at:])
		if n == 0 {
			return 0, Reply{}, nil
		}
		at += n
		if bytes.Equal(line, memcachedEnd) {
			return at, r, nil
		}
		size, ok := valueSize(line)
		if !ok {
			return 0, Reply{}, unexpected("memcached", b)
		}
		if len(b) < at+size+len(crlf) {
			return 0, Reply{}, nil
		}
		if !bytes.Equal(b[at+size:at+size+len(crlf)], crlf) {
			return 0, Reply{}, unexpected("memcached", b[at+size:])
		}
		at += size + len(crlf)
		r.Hits++
		r.Bytes += size
	}
}

// valueSize reads the length at the end of "VALUE key flags length".
func valueSize(line []byte) (int, bool) {
	if !bytes.HasPrefix(line, valuePrefix) {
		return 0, false
	}
	return number(line[bytes.LastIndexByte(line, ' ')+1:])
}

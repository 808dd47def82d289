package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// Every reply is read the same whether it comes whole, byte by byte, or with the next one behind it.
func TestParse(t *testing.T) {
	tiny := HTTP{}
	results := string(batch.Result{Outcome: batch.Missing}.Append(batch.Result{Outcome: batch.Found, Value: []byte("abc")}.Append(nil)))
	hit := "HTTP/1.1 200 OK\r\nServer: x\r\ncontent-length: 3\r\nAge: 0\r\n\r\nabc"
	miss := "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"
	for name, c := range map[string]struct {
		protocol Protocol
		op       Op
		text     string
		want     Reply
	}{
		"memcached hit":          {Memcached{}, Get, "VALUE key 0 3\r\nabc\r\nEND\r\n", Reply{1, 3}},
		"memcached value is END": {Memcached{}, Get, "VALUE key 0 5\r\nEND\r\n\r\nEND\r\n", Reply{1, 5}},
		"memcached miss":         {Memcached{}, Get, "END\r\n", Reply{}},
		"memcached set":          {Memcached{}, Set, "STORED\r\n", Reply{1, 0}},
		"memcached batch":        {Memcached{}, Batch, "VALUE a 0 1\r\nx\r\nVALUE c 0 2\r\nyz\r\nEND\r\n", Reply{2, 3}},
		"redis hit":              {Redis{}, Get, "$3\r\nabc\r\n", Reply{1, 3}},
		"redis empty":            {Redis{}, Get, "$0\r\n\r\n", Reply{1, 0}},
		"redis miss":             {Redis{}, Get, "$-1\r\n", Reply{}},
		"redis set":              {Redis{}, Set, "+OK\r\n", Reply{1, 0}},
		"redis batch":            {Redis{}, Batch, "*3\r\n$1\r\nx\r\n$-1\r\n$2\r\nyz\r\n", Reply{2, 3}},
		"http hit":               {tiny, Get, hit, Reply{1, 3}},
		"http miss":              {tiny, Get, miss, Reply{}},
		"http set":               {tiny, Set, "HTTP/1.1 204 No Content\r\nServer: x\r\n\r\n", Reply{1, 0}},
		"http batch":             {tiny, Batch, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(results), results), Reply{1, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			for have := range len(c.text) {
				if n, _, err := c.protocol.Parse(c.op, []byte(c.text[:have])); n != 0 || err != nil {
					t.Fatalf("%d of %d bytes: %d, %v; want to wait", have, len(c.text), n, err)
				}
			}
			for _, behind := range []string{"", c.text} {
				n, r, err := c.protocol.Parse(c.op, []byte(c.text+behind))
				if n != len(c.text) || r != c.want || err != nil {
					t.Errorf("with %d bytes behind: %d, %+v, %v; want %d, %+v", len(behind), n, r, err, len(c.text), c.want)
				}
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for text, c := range map[string]struct {
		protocol Protocol
		op       Op
	}{
		"SERVER_ERROR out of memory\r\n":   {Memcached{}, Set},
		"ERROR\r\n":                        {Memcached{}, Get},
		"VALUE key 0 3\r\nabcdEND\r\n":     {Memcached{}, Get},
		"VALUE key 0 -3\r\nabc\r\nEND\r\n": {Memcached{}, Get},
		"-OOM command not allowed\r\n":     {Redis{}, Set},
		"-ERR\r\n":                         {Redis{}, Get},
		"$9999999999\r\n":                  {Redis{}, Get},
		"\r\n":                             {Redis{}, Batch},
		"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n":         {HTTP{}, Get},
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0": {HTTP{}, Get},
		"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n":           {HTTP{}, Get},
		"HTTP/1.1 \r\n\r\n": {HTTP{}, Get},
		"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n":                            {HTTP{}, Set},
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\x01":                               {HTTP{}, Batch},
		"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n\x81" + strings.Repeat("\x00", 12): {HTTP{}, Batch},
		strings.Repeat("x", longestHead+1):                                               {HTTP{}, Get},
		"HTTP/1.1 2x0 OK\r\nContent-Length: 0\r\n\r\n":                                   {HTTP{}, Get},
		"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nx":                        {HTTP{}, Get},
	} {
		if n, _, err := c.protocol.Parse(c.op, []byte(text)); n != 0 || err == nil {
			t.Errorf("%.60q: %d, %v; want an error", text, n, err)
		}
	}
}

func TestRequests(t *testing.T) {
	key, value, keys := []byte("k1"), []byte("abc"), [][]byte{[]byte("k1"), []byte("k2")}
	for want, got := range map[string][]byte{
		"get k1\r\n":                                                           Memcached{}.AppendGet(nil, key),
		"get k1 k2\r\n":                                                        Memcached{}.AppendBatch(nil, keys),
		"set k1 0 0 3\r\nabc\r\n":                                              Memcached{}.AppendSet(nil, key, value),
		"*2\r\n$3\r\nGET\r\n$2\r\nk1\r\n":                                      Redis{}.AppendGet(nil, key),
		"*3\r\n$4\r\nMGET\r\n$2\r\nk1\r\n$2\r\nk2\r\n":                         Redis{}.AppendBatch(nil, keys),
		"*3\r\n$3\r\nSET\r\n$2\r\nk1\r\n$3\r\nabc\r\n":                         Redis{}.AppendSet(nil, key, value),
		"GET /v1/cache/k1 HTTP/1.1\r\nHost: c\r\n\r\n":                         HTTP{}.AppendGet(nil, key),
		"PUT /v1/cache/k1 HTTP/1.1\r\nHost: c\r\nContent-Length: 3\r\n\r\nabc": HTTP{}.AppendSet(nil, key, value),
		"POST /v1/batch HTTP/1.1\r\nHost: c\r\nContent-Type: application/vnd.tiny-cache.batch\r\nContent-Length: 26\r\n\r\n" +
			"\x01\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00k1\x01\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00k2": HTTP{}.AppendBatch(nil, keys),
	} {
		if !bytes.Equal(got, []byte(want)) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

package cacheserver

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

const keyPrefix = "/v1/cache/"

// target is a request target taken apart, still escaped.
type target struct {
	path  []byte
	query []byte // without "?"; nil if there is none, empty if nothing follows it
}

// splitTarget reads the request line's target as it was sent. fasthttp's own
// parsed path is not used: it is normalised, and keys must not be.
func splitTarget(raw []byte) target {
	if len(raw) > 0 && raw[0] != '/' {
		// The absolute form, which proxies use: scheme://authority/path.
		_, rest, _ := bytes.Cut(raw, []byte("://"))
		raw = rest[min(len(rest), max(0, bytes.IndexAny(rest, "/?"))):]
	}
	path, query, found := bytes.Cut(raw, []byte("?"))
	if found && query == nil {
		query = []byte{}
	}
	return target{path: path, query: query}
}

// key returns the key that the target names; false if it does not lie below
// keyPrefix. The key may share memory with the target.
func (t target) key() (key []byte, isKey bool, refused *refusal) {
	rest, isKey := bytes.CutPrefix(t.path, []byte(keyPrefix))
	if !isKey {
		return nil, false, nil
	}
	key, refused = unescape(rest)
	switch {
	case refused != nil:
		return nil, true, refused
	case len(key) == 0:
		return nil, true, refuse(http.StatusBadRequest, "the key is empty: name one after "+keyPrefix)
	case len(key) > cache.MaxKeySize:
		return nil, true, refuse(http.StatusBadRequest,
			fmt.Sprintf("the key has %d bytes: at most %d are allowed", len(key), cache.MaxKeySize))
	}
	return key, true, nil
}

// unescape decodes %XX once. Without escapes it returns its argument.
func unescape(raw []byte) ([]byte, *refusal) {
	if bytes.IndexByte(raw, '#') >= 0 {
		return nil, refuse(http.StatusBadRequest, `the key contains "#", which a request target cannot: send %23`)
	}
	first := bytes.IndexByte(raw, '%')
	if first < 0 {
		return raw, nil
	}
	key := make([]byte, 0, len(raw))
	key = append(key, raw[:first]...)
	for i := first; i < len(raw); i++ {
		if raw[i] != '%' {
			key = append(key, raw[i])
			continue
		}
		if i+2 >= len(raw) {
			return nil, badEscape(raw[i:])
		}
		high, ok1 := hexDigit(raw[i+1])
		low, ok2 := hexDigit(raw[i+2])
		if !ok1 || !ok2 {
			return nil, badEscape(raw[i : i+3])
		}
		key = append(key, high<<4|low)
		i += 2
	}
	return key, nil
}

func badEscape(at []byte) *refusal {
	return refuse(http.StatusBadRequest,
		fmt.Sprintf("the key has a malformed escape %q: send %% and two hexadecimal digits, or %%25 for a percent sign", at))
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

package cacheserver

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// ttlHeader carries a time to live in whole seconds: wanted in PUT, what is
// left of it in the answer to GET and HEAD.
const ttlHeader = "Cache-TTL"

const maxTTLSeconds = int64(cache.MaxTTL / time.Second)

// parseTTL reads the time to live of a PUT from its query ("ttl=60") or header.
// header is nil if there is none. Seconds only: a second notation would leave
// room for "60m" meant as 60 minutes by one client and refused by another.
func parseTTL(query, header []byte) (time.Duration, *refusal) {
	text, given := header, header != nil
	if query != nil {
		name, value, _ := bytes.Cut(query, []byte("="))
		if string(name) != "ttl" || bytes.IndexByte(value, '&') >= 0 {
			return 0, unknownQuery(query, "PUT takes one, ttl=SECONDS")
		}
		if given && !bytes.Equal(header, value) {
			return 0, refuse(http.StatusBadRequest,
				fmt.Sprintf("the query says ttl=%s and the header %s: %s: give one of them", clip(value), ttlHeader, clip(header)))
		}
		text, given = value, true
	}
	if !given {
		return 0, nil
	}
	seconds, ok := parseSeconds(text)
	if !ok {
		return 0, refuse(http.StatusBadRequest,
			fmt.Sprintf("the ttl %q is not a whole number of seconds from 0 (no expiry) to %d (ten years)", clip(text), maxTTLSeconds))
	}
	return time.Duration(seconds) * time.Second, nil
}

// parseSeconds accepts digits only: no sign, no space, no exponent.
func parseSeconds(text []byte) (int64, bool) {
	if len(text) == 0 || len(text) > len("315360000") {
		return 0, false
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	return n, err == nil && n <= maxTTLSeconds
}

func unknownQuery(query []byte, takes string) *refusal {
	return refuse(http.StatusBadRequest,
		fmt.Sprintf(`unknown query %q: %s; a "?" that belongs to the key must be sent as %%3F`, clip(query), takes))
}

// clip keeps error texts short whatever the client sends.
func clip(b []byte) []byte { return b[:min(len(b), 40)] }

package cacheserver

import (
	"net/url"
	"strings"
	"testing"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// FuzzKey compares key parsing with net/url's PathUnescape, an implementation
// of the same rule by others, and escapes every byte to show that all keys can
// be named and come back the same.
func FuzzKey(f *testing.F) {
	for _, seed := range []string{"a", "%2F", "%252f", "a//b/..", "%", "%4", "%zz", "a?ttl=1", "\x00", "#", "é", "%ff", "+"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		parsed := splitTarget([]byte(keyPrefix + raw))
		key, isKey, refused := parsed.key()
		if !isKey {
			t.Fatalf("%q is not taken for a key", raw)
		}
		path, query, found := strings.Cut(raw, "?")
		if (parsed.query != nil) != found || string(parsed.query) != query {
			t.Fatalf("%q: query %q, want %q", raw, parsed.query, query)
		}
		want, err := url.PathUnescape(path)
		valid := err == nil && want != "" && len(want) <= cache.MaxKeySize && !strings.Contains(path, "#")
		if valid != (refused == nil) || (valid && string(key) != want) {
			t.Fatalf("%q: key %q, refused %+v; want %q, valid %v", raw, key, refused, want, valid)
		}
		if raw == "" || len(raw) > cache.MaxKeySize {
			return
		}
		var escaped strings.Builder
		const digits = "0123456789aBcDeF"
		for i := range len(raw) {
			escaped.WriteString("%" + digits[raw[i]>>4:raw[i]>>4+1] + digits[raw[i]&15:raw[i]&15+1])
		}
		if key, _, refused := splitTarget([]byte(keyPrefix + escaped.String())).key(); refused != nil || string(key) != raw {
			t.Fatalf("%q escaped came back as %q, %+v", raw, key, refused)
		}
	})
}

package cacheclient

import "strings"

// escape percent-encodes every byte of a key but the unreserved ones of RFC 3986, so that no
// client, proxy or server takes a slash or a dot for structure.
func escape(key []byte) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(key) + 2)
	for _, c := range key {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '~' {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

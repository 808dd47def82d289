// Package traffic makes what caches are asked for: keys, and traces of them that repeat from a
// seed.
package traffic

const (
	// KeySize is the length of all keys in bytes.
	KeySize = 16
	digits  = "0123456789abcdef"
)

// AppendKey appends the key with a number: 16 hexadecimal digits without any order, so that no
// server profits from neighbours.
func AppendKey(dst []byte, number uint64) []byte {
	n := mix(number)
	for shift := 60; shift >= 0; shift -= 4 {
		dst = append(dst, digits[n>>shift&15])
	}
	return dst
}

// Keys returns the keys with numbers from first on.
func Keys(first uint64, count int) [][]byte {
	keys := make([][]byte, count)
	all := make([]byte, 0, count*KeySize)
	for i := range keys {
		all = AppendKey(all, first+uint64(i))
		keys[i] = all[i*KeySize : (i+1)*KeySize : (i+1)*KeySize]
	}
	return keys
}

// mix is the finalizer of SplitMix64: one to one, and every bit depends on every bit.
func mix(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

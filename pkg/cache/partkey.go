package cache

import (
	"encoding/binary"
	"math/bits"
)

// partKeySize is a length of key for which xxHash is one to one.
const partKeySize = 8

// Constants of xxHash64 (Y. Collet, the xxHash specification, section "XXH64").
const (
	prime1 uint64 = 11400714785074694791
	prime2 uint64 = 14029467366897019727
	prime3 uint64 = 1609587929392839161
	prime4 uint64 = 9650029242287828579
	prime5 uint64 = 2870177450012600261
)

var inverse1, inverse2, inverse3 = inverse(prime1), inverse(prime2), inverse(prime3)

// keyWithHash is the key of eight bytes that has a hash: fastcache chooses the ring,
// and finds a record in it, by the hash alone. It undoes the steps of xxHash64, last
// one first; each loses nothing.
func keyWithHash(hash uint64) (key [partKeySize]byte) {
	h := hash
	h ^= h >> 32
	h *= inverse3
	h ^= h>>29 ^ h>>58
	h *= inverse2
	h ^= h >> 33
	h = bits.RotateLeft64((h-prime4)*inverse1, -27)
	h ^= prime5 + partKeySize
	h = bits.RotateLeft64(h*inverse1, -31) * inverse2
	binary.LittleEndian.PutUint64(key[:], h)
	return key
}

// inverse is the factor that undoes an odd one modulo 2^64, by Newton's iteration:
// each step doubles the bits that are right, three at first.
func inverse(odd uint64) uint64 {
	x := odd
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}

// Package cache is the engine of tiny-cache: a bounded in-memory map from byte
// keys to byte values with a time to live, built on fastcache's ring buffers.
// It knows neither HTTP nor Kubernetes.
//
// # What is promised
//
// Correctness. A Get returns exactly the bytes of one earlier Set of that key,
// or reports a miss. It never returns a value that an acknowledged later Set
// replaced, that an acknowledged Delete removed, or whose time to live has
// passed. A miss is always allowed: this is a cache.
//
// Recency. Keys are spread by hash over 512 rings of Capacity/512 bytes each.
// An entry survives at least half a ring (Capacity/1024 bytes) of further
// writes to its ring after its last Set or Get, and at most one ring. So this
// is an approximation of LRU: an entry that is read once per half turn stays
// for ever, an entry nobody reads is gone after one turn, and between the two
// the order is first in, first out. A read rewrites an entry at most once per
// half turn; every other hit takes no lock of this package.
//
// Time. Lifetimes are measured on a monotonic clock that is handed in, so a
// change of the wall clock neither shortens nor lengthens them. An entry with
// ttl d that was set at t is served at t+d-1ns and is not served at t+d.
//
// Size. Keys of 1 to MaxKeySize bytes, values of 0 to Options.MaxValueSize
// bytes, all bytes allowed. Everything within these limits is stored and comes
// back byte for byte; everything outside is refused with ErrKey or ErrTooLarge
// and leaves the earlier value in place. Values over 8144 bytes are stored in
// parts; a value that lost a part to eviction is a miss, never a torn value.
//
// Memory. The rings take Options.Capacity bytes, rounded down to a multiple of
// 32 MiB, outside the Go heap; fastcache's index takes 20 to 40 bytes of heap
// per index entry, and Options.MinRecordSize bounds their number at
// 2*Capacity/MinRecordSize. memory.go turns a container's limit into these
// numbers and says why.
package cache

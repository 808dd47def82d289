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
// Recency. Keys are spread by hash over 512 rings of Capacity/512 bytes each, and
// each ring evicts by second chance (CLOCK): the oldest entry goes, but one that
// was read since it was written or moved is moved to the writing end instead. A
// read counts once an eighth of what is in the ring was written behind the entry;
// reads that follow a write at once say little about those to come. So an entry
// that is read at least once while the ring goes round stays, and one that nobody
// reads is gone after one turn. Two bounds: a write moves no more ring bytes than
// it writes (what it leaves over is saved up, to a quarter of a ring or 64 KiB), so
// where nearly all is read, some of what was read goes too; and whatever is read, a
// new entry survives a third of a ring of further writes, where Options.IndexBytes
// does not have it go earlier. A hit takes no lock of this package and writes at
// most one bit.
//
// Time. Lifetimes are measured on a monotonic clock that is handed in, so a
// change of the wall clock neither shortens nor lengthens them. An entry with
// ttl d that was set at t is served at t+d-1ns and is not served at t+d.
//
// Size. Keys of 1 to MaxKeySize bytes, values of 0 to Options.MaxValueSize
// bytes, all bytes allowed. Everything within these limits is stored and comes
// back byte for byte; everything outside is refused with ErrKey or ErrTooLarge
// and leaves the earlier value in place. Values over 8147 bytes are stored in
// parts; a value that lost a part to eviction is a miss, never a torn value.
//
// Memory. The rings take Options.Capacity bytes, rounded down to a multiple of
// 32 MiB, outside the Go heap. What it takes to find entries, about 40 to 80 bytes
// for each and the length of its key, and 32 more for each second in which something
// expires, lives on the heap and is bounded by Options.IndexBytes: where entries
// are so small that it does not suffice, the oldest go though the rings have room.
// memory.go turns a container's limit into these numbers and says why.
package cache

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
// Recency. Capacity is 512 rings of equal size, and keys are spread over them by
// hash. Three eighths of the rings are the window, the others are main. At first
// everything goes to main; once a ring of main is full, new entries of its keys go
// to the window. What leaves the window goes on to main if it was read there, and
// one in 32 does though it was not; the rest is evicted. Main evicts by second chance
// (CLOCK): the oldest entry goes, but one that was read since it was written or moved
// is moved to the writing end instead. There, a read counts once a sixteenth of what
// is in the ring was written behind the entry; reads that follow a write at once say
// little about those to come. So:
//
//   - A new entry stays for a turn of the window: until about three eighths of
//     Capacity were written in new entries.
//   - One that is read in that time, and then at least once while its ring of main
//     goes round, stays.
//   - One that nobody reads is gone after one turn, and however many of them there
//     are, of what main holds they replace one for every 32.
//   - A write moves or promotes no more than twice its own ring bytes (what it leaves
//     over is saved up, to a quarter of a ring or 64 KiB), so where nearly all is
//     read, some of what was read goes too. Whatever is read, an entry survives a
//     quarter of its ring of main in further writes.
//   - Where Options.IndexBytes is what bounds, all of this comes earlier.
//
// Values over 8161 bytes are shared out to window and main, and evicted by second
// chance in either; a write of them moves no more than it writes. A hit takes no lock
// of this package and writes at most one bit.
//
// Time. Lifetimes are measured on a monotonic clock that is handed in, so a
// change of the wall clock neither shortens nor lengthens them. An entry with
// ttl d that was set at t is served at t+d-1ns and is not served at t+d.
//
// Size. Keys of 1 to MaxKeySize bytes, values of 0 to Options.MaxValueSize
// bytes, all bytes allowed. Everything within these limits is stored and comes
// back byte for byte; everything outside is refused with ErrKey or ErrTooLarge
// and leaves the earlier value in place. Values over 8161 bytes are stored in
// parts; a value that lost a part to eviction is a miss, never a torn value.
//
// Memory. The rings take Options.Capacity bytes, rounded down to a multiple of
// 32 MiB, outside the Go heap. What it takes to find entries, about 40 to 80 bytes
// for each and the length of its key, and 32 more for each second in which something
// expires, lives on the heap and is bounded by Options.IndexBytes: where entries
// are so small that it does not suffice, the oldest go though the rings have room.
// memory.go turns a container's limit into these numbers and says why.
package cache

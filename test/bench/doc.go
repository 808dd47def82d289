// Command bench measures tiny-cache beside memcached and redis on this machine:
//
//	bench cache      processor time per request, rate and latency under load
//	bench hit-ratio  hits on equal memory, also beside an exact LRU
//	bench memory     what an entry takes of it
//
// make bench-cache and its siblings install the two others and build tiny-cache.
//
// # What is fair
//
// All servers get the same single core, the load generator another one. So memcached has one worker
// thread, redis its one, and Go's scheduler one processor. The requests are the same, from the
// same seed, and each server is loaded alone while the others idle. Rounds are interleaved, A B C A
// B C, and ratios are taken within a round before the median is, so that a machine that is busy
// for a while slows all of them. Processor time is the scheduler's, of all threads; it includes
// the kernel's share of the server's system calls, which on loopback is most of it.
//
// What HTTP carries more than the others' protocols is part of the comparison and not corrected for.
package main

// Package load is the load generator. One thread drives all connections with epoll and two system
// calls a request, write and read: goroutines that wait on connections would need about twice the
// processor, and the generator has no more of it than the server.
//
// There are two ways to load. A closed loop keeps every connection busy: it finds the highest rate
// and the cost of a request. An open loop sends at given moments whatever the server does, and
// counts a reply's time from the moment its request was due: it finds the latency that clients see
// who do not wait for each other.
//
// It loads this machine only.
package load

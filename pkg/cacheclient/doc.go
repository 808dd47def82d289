// Package cacheclient routes reads and writes of a cache to the members of its ring.
//
// Its laws:
//
//   - A member that is dead, gone or silent is a miss and not an error: what it held is not found,
//     a write to it is dropped, as in any cache. The same holds while there is no ring or an empty
//     one; an application can start and live without its cache. Errors are left for what only the
//     caller can mend: a request that the member refuses, a context that ended, a closed client.
//   - A dead member costs one request a Timeout, not every request: it is left alone for a pause
//     that doubles with each failure up to MaxBackoff, and then one request at a time tries it.
//     Connections are made anew then, and the address is asked for anew.
//   - An older ring never replaces a newer one of the same owner, and a malformed one replaces
//     nothing. The last good ring is used until a better one comes, for however long.
//   - What a member that left the ring has cost (connections, memory) is given back at once.
//   - Keys and values belong to the caller again when a method returns, and what it returns is the
//     caller's own.
//
// The package knows nothing of Kubernetes. A Source brings the rings: File reads a mounted
// ConfigMap, the package apiwatch watches it at the API server.
package cacheclient

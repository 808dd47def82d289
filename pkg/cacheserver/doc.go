// Package cacheserver is tiny-cache's HTTP side: it puts pkg/cache behind
// event loops and fasthttp. It does not know Kubernetes.
//
//	GET    /v1/cache/{key}   200 and the value, or 404
//	HEAD   /v1/cache/{key}   the same without the value; counts neither as hit nor as use
//	PUT    /v1/cache/{key}   204; ?ttl=SECONDS or header Cache-TTL: SECONDS
//	DELETE /v1/cache/{key}   204, or 404 if there was nothing
//	POST   /v1/batch         many of the above in one request: see package batch
//	GET    /v1/stats         counters as JSON
//	GET    /metrics          the same for Prometheus, names tiny_cache_*
//	GET    /healthz /readyz  200 while the process serves
//
// # The law of this room
//
// Keys are bytes. The key is what follows "/v1/cache/" in the request target up
// to the first "?", percent-decoded once and in no other way touched: slashes,
// dots, doubled slashes, NUL and invalid UTF-8 are part of it, "+" is a plus, and
// nothing is ever redirected. An empty, too long (over 1024 bytes) or badly
// escaped key is 400.
//
// Nothing is guessed. A query parameter that the method does not know is 400
// (it is nearly always an unescaped "?" in a key, which would read another
// entry), and so is any ttl but whole seconds from 0 (no expiry) to ten years.
//
// A batch is understood before it is begun: one malformed operation, and nothing
// is done. Then each operation is done by itself, in order, with a result of its
// own; a batch is no transaction.
//
// Success is told only of what was done: a PUT that is broken off, too large or
// too slow stores nothing. PUT answers 204 whether or not the key was there
// before: in a cache that says nothing one could rely on. A GET answers with
// Age and, if the entry expires, Cache-TTL, the seconds left, rounded up.
//
// Everything is bounded: see Options. Every excess has one answer: header 431,
// value 413, connections 503, memory for large values 503 with Retry-After,
// time 408. docs/openapi.yaml has them all, and a test holds the server to it.
// Error bodies are {"error": "one sentence"}.
//
// A loop waits for nobody. It answers what has arrived as a whole and is ordinary
// (see quick), and hands the connection over to fasthttp for all the rest, errors
// too. Both give the same answers, which a fuzzer holds them to; only one of them
// may have a connection at a time (see conn).
//
// Stopping is polite: see Serve.
package cacheserver

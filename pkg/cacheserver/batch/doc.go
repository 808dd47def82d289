// Package batch is the wire format of POST /v1/batch: many operations in one
// request, one result for each in the answer, in the same order. It knows
// bytes only, so that clients can share it.
//
// A request's body is a sequence of operations and nothing else, an answer's
// body a sequence of results. Integers are unsigned and big-endian, lengths
// count bytes, and keys and values are any bytes, not escaped.
//
//	operation: verb 1 | key length 2 | ttl 4 | value length 4 | key | value
//	result:    outcome 1 | age 4 | ttl 4 | value length 4 | value
//
// Times are whole seconds. What a verb or outcome has no use for is zero.
// docs/http-api.md says what the server makes of it, and gives
// an example byte for byte.
package batch

package wire

import (
	"fmt"
	"net/http"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

const batchHead = http.MethodPost + " /v1/batch"

// AppendBatch appends a batch of reads.
func (HTTP) AppendBatch(dst []byte, keys [][]byte) []byte {
	size := 0
	for _, key := range keys {
		size += batch.OperationHeader + len(key)
	}
	dst = append(dst, batchHead...)
	dst = appendHead(dst, "Content-Type: "+batch.MediaType+"\r\n", size)
	for _, key := range keys {
		dst = batch.Operation{Verb: batch.Get, Key: key}.Append(dst)
	}
	return dst
}

// readResults counts what a batch of reads found.
func readResults(body []byte) (Reply, error) {
	var all Reply
	for len(body) > 0 {
		r, rest, err := batch.ReadResult(body)
		switch {
		case err != nil:
			return Reply{}, fmt.Errorf("tiny-cache: results of a batch: %w", err)
		case r.Outcome == batch.Found:
			all.Hits++
			all.Bytes += len(r.Value)
		case r.Outcome != batch.Missing:
			return Reply{}, fmt.Errorf("tiny-cache: a batch of reads was answered with %q", r.Outcome)
		}
		body = rest
	}
	return all, nil
}

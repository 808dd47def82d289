// Package fill fills a tiny-cache server several times over, by as many clients as it takes, for
// tests of its memory. No key is written twice, and what is written is read at once.
package fill

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"golang.org/x/sync/errgroup"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

const (
	// Width is how many clients work at a time.
	Width = 8
	// stint is how many batches a client writes between looks at the counters.
	stint = 20
)

// Filler writes values of one size to one server.
type Filler struct {
	url       string
	valueSize int
	client    http.Client
	round     uint64
}

// Stats is what the server counts.
type Stats struct {
	Entries, Bytes, IndexEntries, Capacity, Evictions, Expirations, MaxConnections uint64
}

// New returns a filler for the server at a root URL, and values of so many bytes.
func New(root string, valueSize int) *Filler {
	return &Filler{url: root, valueSize: valueSize, client: http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: Width}}}
}

// Close closes the connections.
func (f *Filler) Close() { f.client.CloseIdleConnections() }

// Stats reads the server's counters.
func (f *Filler) Stats(ctx context.Context) (Stats, error) {
	var st Stats
	body, err := f.do(ctx, http.MethodGet, "/v1/stats", nil, http.StatusOK)
	if err != nil {
		return st, err
	}
	return st, json.Unmarshal(body, &st)
}

// Fill writes until evictions are times the entries that are there, and returns the counters.
func (f *Filler) Fill(ctx context.Context, times uint64) (Stats, error) {
	for ; ; f.round++ {
		if st, err := f.Stats(ctx); err != nil || st.Entries > 0 && st.Evictions >= times*st.Entries {
			return st, err
		}
		group, ctx := errgroup.WithContext(ctx)
		for worker := range uint64(Width) {
			group.Go(func() error {
				for i := range uint64(stint) {
					if err := f.writeAndRead(ctx, f.round<<32|worker<<16|i); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return Stats{}, err
		}
	}
}

func (f *Filler) writeAndRead(ctx context.Context, number uint64) error {
	var puts, gets []byte
	var key []byte
	value := make([]byte, f.valueSize)
	for i := range min(batch.MaxOperations, batch.MaxBytes/2/(f.valueSize+100)) {
		key = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint64(nil, number), uint16(i)) // #nosec G115 -- at most 1024
		// Deadlines take memory too.
		puts = batch.Operation{Verb: batch.Put, Key: key, Value: value, TTL: 3600}.Append(puts)
		gets = batch.Operation{Verb: batch.Get, Key: key}.Append(gets)
	}
	for _, body := range [][]byte{puts, gets} {
		if _, err := f.do(ctx, http.MethodPost, "/v1/batch", body, http.StatusOK); err != nil {
			return err
		}
	}
	if _, err := f.do(ctx, http.MethodGet, "/v1/cache/"+url.PathEscape(string(key)), nil, http.StatusOK); err != nil {
		return fmt.Errorf("an entry just written: %w", err)
	}
	return nil
}

func (f *Filler) do(ctx context.Context, method, path string, body []byte, want int) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, f.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", batch.MediaType)
	}
	res, err := f.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() //nolint:errcheck // it is read to the end
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != want {
		err = fmt.Errorf("%s %s: %d: %.200s", method, path, res.StatusCode, answer)
	}
	return answer, err
}

// Command fill fills a cache pod several times over from within the cluster, says what came of it
// as one line of JSON, and stays until it is ended.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sk1-services/distributed-cache/test/fill"
)

// result is the line.
type result struct {
	fill.Stats
	// Resident is the server's memory in use, in bytes.
	Resident float64
	Error    string
}

func main() {
	root := flag.String("url", "", "the pod's root `URL`")
	size := flag.Int("value-size", 0, "bytes of a value")
	times := flag.Uint64("times", 4, "evictions per entry that is there in the end")
	limit := flag.Duration("limit", 10*time.Minute, "give up after this time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	var r result
	if err := r.run(ctx, *root, *size, *times, *limit); err != nil {
		r.Error = err.Error()
	}
	line, _ := json.Marshal(r)
	fmt.Println(string(line))
	<-ctx.Done()
}

func (r *result) run(ctx context.Context, root string, size int, times uint64, limit time.Duration) (err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	f := fill.New(root, size)
	defer f.Close()
	if r.Stats, err = f.Fill(ctx, times); err != nil {
		return err
	}
	r.Resident, err = gauge(ctx, root, "process_resident_memory_bytes")
	return err
}

// gauge reads one of the server's metrics.
func gauge(ctx context.Context, root, name string) (float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, root+"/metrics", http.NoBody)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close() //nolint:errcheck // it is read to the end
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if text, found := strings.CutPrefix(lines.Text(), name+" "); found {
			return strconv.ParseFloat(text, 64)
		}
	}
	return 0, fmt.Errorf("no metric %s: %w", name, lines.Err())
}

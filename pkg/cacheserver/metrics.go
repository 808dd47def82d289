package cacheserver

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// metrics is the server's own registry; nothing is registered globally. The
// names are part of the API.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	byLabel  [otherRequest + 1]labelMetrics
	results  [maxOutcome + 1]prometheus.Counter
}

// labelMetrics is filled once, so that a request looks nothing up by label.
type labelMetrics struct {
	duration prometheus.Observer
	byStatus [maxStatus + 1]prometheus.Counter
}

const (
	maxStatus  = 599
	maxOutcome = batch.AskSingly
)

// requestLabel is the metrics' label "method". It keeps what clients send out
// of the label's values.
type requestLabel int

const (
	getRequest requestLabel = iota
	headRequest
	putRequest
	deleteRequest
	batchRequest
	otherRequest
)

var requestLabels = [...]string{"get", "head", "put", "delete", "batch", "other"}

func newMetrics(s *Server) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tiny_cache_http_requests_total",
			Help: "Requests for entries by method and status; a batch is one of method batch.",
		}, []string{"method", "code"}),
	}
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "tiny_cache_http_request_duration_seconds",
		Help:    "Time from a request's header to its answer, the body's arrival included, the answer's sending not.",
		Buckets: prometheus.ExponentialBuckets(5e-6, 4, 10), // 5 µs to 1.3 s
	}, []string{"method"})
	operations := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tiny_cache_batch_operations_total",
		Help: "Operations within batches by their result.",
	}, []string{"result"})
	m.registry.MustRegister(m.requests, durations, operations, newStatsCollector(s),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for label, name := range requestLabels {
		lm := &m.byLabel[label]
		lm.duration = durations.WithLabelValues(name)
		for _, status := range []int{
			http.StatusOK, http.StatusNoContent, http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed,
			http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable,
		} {
			lm.byStatus[status] = m.requests.WithLabelValues(name, strconv.Itoa(status))
		}
	}
	for _, o := range []batch.Outcome{
		batch.Found, batch.Missing, batch.Stored, batch.Removed, batch.TooLarge, batch.AskSingly,
	} {
		m.results[o] = operations.WithLabelValues(o.String())
	}
	return m
}

func (m *metrics) observe(label requestLabel, status int, took time.Duration) {
	lm := &m.byLabel[label]
	lm.duration.Observe(took.Seconds())
	if c := lm.byStatus[min(status, maxStatus)]; c != nil {
		c.Inc()
		return
	}
	m.requests.WithLabelValues(requestLabels[label], strconv.Itoa(status)).Inc()
}

// countResult counts an operation of a batch.
func (m *metrics) countResult(o batch.Outcome) { m.results[o].Inc() }

func methodLabel(method []byte) requestLabel {
	switch string(method) {
	case http.MethodGet:
		return getRequest
	case http.MethodHead:
		return headRequest
	case http.MethodPut:
		return putRequest
	case http.MethodDelete:
		return deleteRequest
	}
	return otherRequest
}

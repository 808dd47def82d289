package cacheserver

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics is the server's own registry; nothing is registered globally. The
// names are part of the API.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	// byMethod is filled once, so that a request looks nothing up by label.
	byMethod map[string]*methodMetrics
}

type methodMetrics struct {
	duration prometheus.Observer
	byStatus map[int]prometheus.Counter
}

const otherMethod = "other"

func newMetrics(s *Server) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tiny_cache_http_requests_total",
			Help: "Requests for entries by method and status.",
		}, []string{"method", "code"}),
		byMethod: map[string]*methodMetrics{},
	}
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "tiny_cache_http_request_duration_seconds",
		Help:    "Time from a request's header to its answer, the body's arrival included, the answer's sending not.",
		Buckets: prometheus.ExponentialBuckets(5e-6, 4, 10), // 5 µs to 1.3 s
	}, []string{"method"})
	m.registry.MustRegister(m.requests, durations, newStatsCollector(s),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, method := range []string{"get", "head", "put", "delete", otherMethod} {
		mm := &methodMetrics{duration: durations.WithLabelValues(method), byStatus: map[int]prometheus.Counter{}}
		for _, status := range []int{
			http.StatusOK, http.StatusNoContent, http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed,
			http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable,
		} {
			mm.byStatus[status] = m.requests.WithLabelValues(method, strconv.Itoa(status))
		}
		m.byMethod[method] = mm
	}
	return m
}

func (m *metrics) observe(label string, status int, took time.Duration) {
	mm := m.byMethod[label]
	mm.duration.Observe(took.Seconds())
	if c, ok := mm.byStatus[status]; ok {
		c.Inc()
		return
	}
	m.requests.WithLabelValues(label, strconv.Itoa(status)).Inc()
}

// methodLabel keeps what clients send out of the label's values.
func methodLabel(method []byte) string {
	switch string(method) {
	case http.MethodGet:
		return "get"
	case http.MethodHead:
		return "head"
	case http.MethodPut:
		return "put"
	case http.MethodDelete:
		return "delete"
	}
	return otherMethod
}

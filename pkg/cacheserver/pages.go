package cacheserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/valyala/fasthttp"

	"github.com/sk1-services/distributed-cache/pkg/cache"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// page answers GET (and HEAD) on a fixed path.
type page func(ctx *fasthttp.RequestCtx) *refusal

func (s *Server) pages() map[string]page {
	return map[string]page{
		"/v1/stats": s.statsPage,
		"/metrics":  s.metricsPage,
		"/healthz":  s.healthPage,
		"/readyz":   s.readyPage,
	}
}

func (s *Server) servePage(ctx *fasthttp.RequestCtx, p page) *refusal {
	if !ctx.IsGet() && !ctx.IsHead() {
		return refuseMethod(ctx.Method(), "GET, HEAD")
	}
	return p(ctx)
}

// statsDocument is the body of /v1/stats.
type statsDocument struct {
	Version       string `json:"version"`
	UptimeSeconds int64  `json:"uptimeSeconds"`
	Draining      bool   `json:"draining"`
	cache.Stats
	MaxValueSize        int    `json:"maxValueSize"`
	MaxBatchOperations  int    `json:"maxBatchOperations"`
	MaxBatchBytes       int    `json:"maxBatchBytes"`
	Connections         int    `json:"connections"`
	MaxConnections      int    `json:"maxConnections"`
	RejectedConnections uint64 `json:"rejectedConnections"`
}

func (s *Server) statsPage(ctx *fasthttp.RequestCtx) *refusal {
	open, rejected := s.connections.count()
	return answerJSON(ctx, statsDocument{
		Version:             s.options.Version,
		UptimeSeconds:       int64(time.Since(s.started) / time.Second),
		Draining:            s.draining.Load(),
		Stats:               s.cache.Stats(),
		MaxValueSize:        s.cache.MaxValueSize(),
		MaxBatchOperations:  batch.MaxOperations,
		MaxBatchBytes:       batch.MaxBytes,
		Connections:         open,
		MaxConnections:      s.options.MaxConnections,
		RejectedConnections: rejected,
	})
}

func (s *Server) metricsPage(ctx *fasthttp.RequestCtx) *refusal {
	families, err := s.metrics.registry.Gather()
	if err != nil {
		s.options.Logger.Error("metrics cannot be gathered", "error", err)
		return refuse(http.StatusInternalServerError, "metrics cannot be gathered: see the log")
	}
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	var b bytes.Buffer
	encoder := expfmt.NewEncoder(&b, format)
	for _, f := range families {
		if err := encoder.Encode(f); err != nil {
			s.options.Logger.Error("metric cannot be encoded", "metric", f.GetName(), "error", err)
			return refuse(http.StatusInternalServerError, "metrics cannot be encoded: see the log")
		}
	}
	ctx.SetContentType(string(format))
	ctx.SetBody(b.Bytes())
	return nil
}

// healthPage says that the process answers. A kubelet that gets no answer
// restarts the container, which is all that could be wished for.
func (s *Server) healthPage(ctx *fasthttp.RequestCtx) *refusal {
	return answerJSON(ctx, map[string]string{"status": "ok"})
}

// readyPage stays 200 while draining: the pod is to be used until its clients
// have learned that it left the ring. It fails once connections are being closed.
func (s *Server) readyPage(ctx *fasthttp.RequestCtx) *refusal {
	switch {
	case s.closing.Load():
		return refuse(http.StatusServiceUnavailable, "shutting down")
	case s.draining.Load():
		return answerJSON(ctx, map[string]string{"status": "draining"})
	}
	return answerJSON(ctx, map[string]string{"status": "ready"})
}

func answerJSON(ctx *fasthttp.RequestCtx, document any) *refusal {
	b, err := json.Marshal(document)
	if err != nil {
		return refuse(http.StatusInternalServerError, "the answer cannot be encoded: "+err.Error())
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(append(b, '\n'))
	return nil
}

package cacheserver

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sk1-services/distributed-cache/pkg/cache"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver/batch"
)

// Server serves one cache on one listener, once.
type Server struct {
	options     Options
	cache       *cache.Cache
	http        *fasthttp.Server
	fixed       map[string]page
	connections *connections
	payloads    *payloads
	metrics     *metrics
	started     time.Time
	// withoutLoops has fasthttp serve everything.
	withoutLoops bool

	// draining is set from the stop on, closing from the end of the drain on.
	draining, closing atomic.Bool
	// aborted ends when Abort is called.
	aborted context.Context
	abort   context.CancelFunc
}

// New returns a server, or an error that says which option is wrong.
func New(o Options) (*Server, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &Server{
		options:     o,
		cache:       o.Cache,
		connections: newConnections(o.MaxConnections),
		payloads:    newPayloads(o.PayloadBytes, o.PayloadWait),
		started:     time.Now(),
	}
	s.aborted, s.abort = context.WithCancel(context.Background())
	s.fixed = s.pages()
	s.metrics = newMetrics(s)
	s.http = &fasthttp.Server{
		Handler:       func(ctx *fasthttp.RequestCtx) { s.handle(ctx) },
		ErrorHandler:  func(ctx *fasthttp.RequestCtx, err error) { refuseRequest(err).answer(ctx) },
		ExpectHandler: s.expect,
		ConnState:     observe,
		// The front bounds connections; this must only not be in the way.
		// Lingering connections count there and not here.
		Concurrency: o.MaxConnections + 1,
		// A worker without a connection still holds its stack; starting one
		// is cheap beside opening a connection.
		MaxIdleWorkerDuration:        2 * time.Second,
		ReadBufferSize:               o.MaxHeaderBytes,
		ReadTimeout:                  o.ReadTimeout,
		IdleTimeout:                  o.IdleTimeout,
		WriteTimeout:                 o.WriteTimeout,
		MaxRequestBodySize:           max(o.Cache.MaxValueSize(), batch.MaxBytes),
		StreamRequestBody:            true,
		DisablePreParseMultipartForm: true,
		CloseOnShutdown:              true,
		TCPKeepalive:                 true,
		NoDefaultServerHeader:        true,
		SecureErrorLogMessage:        true,
		Logger:                       connectionLog{o.Logger},
	}
	return s, nil
}

// handle answers one request. On a loop it reports false, and has done nothing, if
// that could take longer than a loop has.
func (s *Server) handle(ctx *fasthttp.RequestCtx) bool {
	if s.closing.Load() {
		ctx.SetConnectionClose()
	}
	t := splitTarget(ctx.Request.Header.RequestURI())
	key, isKey, refused := t.key()
	label := batchRequest
	switch {
	case isKey:
		label = methodLabel(ctx.Method())
		if refused == nil {
			refused = s.serveEntry(ctx, t, key)
		}
	case string(t.path) == batchPath:
		refused = s.serveBatch(ctx, t)
	default:
		s.finish(ctx, s.serveFixed(ctx, t))
		return true
	}
	if refused == notOnLoop {
		return false
	}
	status := ctx.Response.StatusCode()
	if refused != nil {
		status = refused.status
	}
	s.metrics.observe(label, status, time.Since(ctx.Time()))
	s.finish(ctx, refused)
	return true
}

func (s *Server) serveFixed(ctx *fasthttp.RequestCtx, t target) *refusal {
	if p, ok := s.fixed[string(t.path)]; ok {
		return s.servePage(ctx, p)
	}
	return refuse(http.StatusNotFound, "no such path: entries are at "+keyPrefix+"{key}")
}

func (s *Server) finish(ctx *fasthttp.RequestCtx, refused *refusal) {
	switch {
	case refused == nil:
	case refused.cut:
		s.cutOff(ctx, refused)
	default:
		closing := ctx.Response.ConnectionClose()
		refused.answer(ctx)
		if closing {
			ctx.SetConnectionClose()
		}
	}
}

// expect answers "Expect: 100-continue" before the body is sent.
func (s *Server) expect(ctx *fasthttp.RequestCtx) int {
	limit := s.bodyLimit(splitTarget(ctx.Request.Header.RequestURI()).path)
	if ctx.Request.Header.ContentLength() > limit {
		tooLarge(limit).answer(ctx)
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusContinue
}

// Serve serves on listener until ctx ends, and then stops:
//
//  1. It serves on, new connections too, for as long as Options.Drain says.
//  2. For up to half of ShutdownTimeout it still answers everything, now with
//     "Connection: close", so that clients leave by themselves.
//  3. It closes the listener and idle connections, waits for what is running,
//     and at the end of ShutdownTimeout closes what is left.
//
// It returns nil after such a stop, and an error if the listener fails before.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	front, err := newFront(s, listener)
	if err != nil {
		return fmt.Errorf("serve on %s: %w", listener.Addr(), err)
	}
	ended := make(chan error, 1)
	go func() { ended <- front.run() }() //nolint:contextcheck // requests outlive ctx: that is the drain
	select {
	case err := <-ended:
		front.close()
		s.connections.closeHanded()
		return fmt.Errorf("serve on %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	case <-s.aborted.Done():
	}
	s.draining.Store(true)
	s.options.Logger.Info("stopping: serving on until the drain is over")
	s.options.Drain.ServeOn(s.aborted) //nolint:contextcheck // ctx has ended; that is why we drain

	s.closing.Store(true)
	s.options.Logger.Info("drained: closing connections")
	s.shutdown(front) //nolint:contextcheck // as above
	<-ended           //nolint:errcheck // it ended because it was told to
	s.options.Logger.Info("stopped")
	return nil
}

// Abort ends a running Serve at once, without drain and without waiting for
// clients.
func (s *Server) Abort() { s.abort() }

func (s *Server) shutdown(f *front) {
	// The last tenth is for closing what remains.
	most := s.options.ShutdownTimeout
	s.waitForClients(most / 2)
	f.close()
	ctx, cancel := context.WithTimeout(s.aborted, most/2-most/10)
	defer cancel()
	if err := s.http.ShutdownWithContext(ctx); err != nil {
		open, _ := s.connections.count()
		s.options.Logger.Info("closing the connections that are left", "connections", open, "reason", err)
	}
	s.connections.closeHanded()
}

// waitForClients returns when no connection is left, after most, or on Abort.
func (s *Server) waitForClients(most time.Duration) {
	end := time.NewTimer(most)
	defer end.Stop()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for {
		if open, _ := s.connections.count(); open == 0 {
			return
		}
		select {
		case <-s.aborted.Done():
			return
		case <-end.C:
			return
		case <-look.C:
		}
	}
}

// connectionLog lets fasthttp speak at level debug: it reports what clients do.
type connectionLog struct{ *slog.Logger }

func (l connectionLog) Printf(format string, args ...any) {
	l.Debug("connection: " + fmt.Sprintf(format, args...))
}

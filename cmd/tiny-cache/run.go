package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver"
)

// unlimitedMemory is used where nothing limits the process: the operator's
// default for a pod, so that a trial run behaves like one.
const unlimitedMemory = 128 << 20

// run serves until a signal has come and the drain is over. root is the file
// system that the memory limit is read from.
func run(o options, signals <-chan os.Signal, root fs.FS, log io.Writer) error {
	logger, err := newLogger(o, log)
	if err != nil {
		return &usageError{err}
	}
	plan, err := planMemory(o, root, logger)
	if err != nil {
		return err
	}
	server, err := newServer(o, plan, logger)
	if err != nil {
		return &usageError{err}
	}
	var listen net.ListenConfig
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	listener, err := listen.Listen(ctx, "tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	debug.SetMemoryLimit(plan.GoMemoryLimit)
	debug.SetGCPercent(cache.GarbagePercent)
	logger.Info("serving", "version", version, "address", listener.Addr().String(),
		"memoryLimit", plan.Limit, "capacity", plan.Capacity, "indexBytes", plan.IndexBytes,
		"goMemoryLimit", plan.GoMemoryLimit, "maxConnections", plan.MaxConnections)
	go func() {
		logger.Info("signal", "signal", (<-signals).String(), "drainGrace", time.Duration(o.drainGrace).String())
		cancel()
		logger.Warn("second signal: ending at once", "signal", (<-signals).String())
		server.Abort()
	}()
	return server.Serve(ctx, listener)
}

// planMemory divides the limit given by flag, by the container, or by default.
func planMemory(o options, root fs.FS, logger *slog.Logger) (cache.MemoryPlan, error) {
	limit := int64(o.memory.size)
	if limit == 0 {
		found, limited, err := cache.ContainerLimit(root)
		if err != nil {
			return cache.MemoryPlan{}, err
		}
		limit = found
		if !limited {
			limit = unlimitedMemory
			logger.Warn("nothing limits this process's memory: using the default; set --memory to choose", "limit", limit)
		}
	}
	plan, err := cache.PlanMemory(limit, int(o.maxValueSize))
	if err != nil {
		return cache.MemoryPlan{}, &usageError{err}
	}
	return plan, nil
}

func newServer(o options, plan cache.MemoryPlan, logger *slog.Logger) (*cacheserver.Server, error) {
	engine, err := cache.New(cache.Options{
		Capacity:     plan.Capacity,
		IndexBytes:   plan.IndexBytes,
		MaxValueSize: int(o.maxValueSize),
	})
	if err != nil {
		return nil, err
	}
	return cacheserver.New(cacheserver.Options{
		Cache:          engine,
		MaxConnections: plan.MaxConnections,
		PayloadBytes:   plan.Payloads,
		Drain:          o.drainer(),
		Version:        version,
		Logger:         logger,
	})
}

// drainer decides how long the server serves on after a signal.
func (o options) drainer() cacheserver.Drainer {
	if o.drainDir == "" {
		return cacheserver.DrainGrace(min(o.drainGrace, o.drainLimit))
	}
	return cacheserver.PodFiles{
		Files: os.DirFS(o.drainDir), Grace: time.Duration(o.drainGrace), Limit: time.Duration(o.drainLimit),
	}
}

func newLogger(o options, out io.Writer) (*slog.Logger, error) {
	level, err := parseLevel(o.logLevel)
	if err != nil {
		return nil, err
	}
	h := &slog.HandlerOptions{Level: level}
	if o.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(out, h)), nil
	}
	return slog.New(slog.NewTextHandler(out, h)), nil
}

func parseLevel(text string) (slog.Level, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(text)); err != nil {
		return 0, fmt.Errorf("--log-level is %q: give debug, info, warn or error", text)
	}
	return level, nil
}

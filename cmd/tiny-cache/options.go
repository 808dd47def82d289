package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cache"
)

// options are the flags.
type options struct {
	listen       string
	memory       memoryFlag
	maxValueSize sizeFlag
	drainGrace   graceFlag
	drainDir     string
	drainLimit   graceFlag
	logFormat    string
	logLevel     string
	version      bool
}

// usageError is the caller's mistake, found after the flags were read.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// graceFlag is a drain grace: the operator allows up to an hour.
type graceFlag time.Duration

func (g *graceFlag) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > time.Hour {
		return errors.New("want a time from 0s to 1h with its unit, such as 30s")
	}
	*g = graceFlag(d)
	return nil
}

func (g *graceFlag) String() string { return time.Duration(*g).String() }

func flags(o *options) *flag.FlagSet {
	f := flag.NewFlagSet("tiny-cache", flag.ContinueOnError)
	f.SetOutput(io.Discard) // the one line about a mistake is main's
	f.StringVar(&o.listen, "listen", ":8080", "`address` to serve on, host:port")
	f.Var(&o.memory, "memory", "`size` the whole process may use, e.g. 128Mi; auto: the container's limit,\nor 128Mi where there is none")
	o.maxValueSize = sizeFlag(cache.DefaultMaxValueSize)
	f.Var(&o.maxValueSize, "max-value-size", "largest value accepted, a `size` of 1 to 128Mi that suits the memory")
	o.drainGrace = graceFlag(30 * time.Second)
	f.Var(&o.drainGrace, "drain-grace", "`time` to serve on after SIGTERM, 0s to 1h")
	f.StringVar(&o.drainDir, "drain-dir", "", "`directory` of the files draining-since and drain-grace-seconds, which overrule --drain-grace\nwhile the process runs; empty, there are none")
	o.drainLimit = graceFlag(time.Hour)
	f.Var(&o.drainLimit, "drain-limit", "`time` to serve on after SIGTERM at most, whatever the files say, 0s to 1h")
	f.StringVar(&o.logFormat, "log-format", "text", "`format` of the log on standard error: text or json")
	f.StringVar(&o.logLevel, "log-level", "info", "`level` of the log: debug (with connection errors), info, warn, error")
	f.BoolVar(&o.version, "version", false, "print the version and exit")
	return f
}

func usage() string {
	var b strings.Builder
	b.WriteString("tiny-cache serves a bounded in-memory cache over HTTP.\n\nFlags:\n")
	f := flags(&options{})
	f.SetOutput(&b)
	f.PrintDefaults()
	return b.String()
}

func parseOptions(args []string) (options, error) {
	var o options
	f := flags(&o)
	if err := f.Parse(args); err != nil {
		return options{}, err
	}
	switch {
	case f.NArg() > 0:
		return options{}, fmt.Errorf("unexpected argument %q: everything is set by flags", f.Arg(0))
	case o.maxValueSize < 1 || o.maxValueSize > 128<<20:
		return options{}, fmt.Errorf("--max-value-size is %v: give 1 to 128Mi", &o.maxValueSize)
	case o.logFormat != "text" && o.logFormat != "json":
		return options{}, fmt.Errorf("--log-format is %q: give text or json", o.logFormat)
	}
	if _, err := parseLevel(o.logLevel); err != nil {
		return options{}, err
	}
	return o, nil
}

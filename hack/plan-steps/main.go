// Command plan-steps shows the state machine think: it runs a history against pkg/plan with a
// cluster that does as it is told, and prints every step that the machine takes.
//
//	go run ./hack/plan-steps --replicas 5 --grace 10s replicas=3@0s replicas=5@4s kill=1@6s delete@20s
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// event is something that happens at a time after the cache has settled.
type event struct {
	at    time.Duration
	what  string
	value int
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "plan-steps: %v\n", err)
		os.Exit(2)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("plan-steps", flag.ContinueOnError)
	replicas := flags.Int("replicas", 3, "pods to begin with")
	grace := flags.Duration("grace", 10*time.Second, "grace of a drain")
	start := flags.Duration("start", 2*time.Second, "how long a pod takes to become Ready")
	quiet := flags.Duration("quiet", 30*time.Second, "how long to go on after the last event")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: plan-steps [flags] EVENT@TIME...\n\nEvents: replicas=N, kill=ORDINAL, unready=ORDINAL, lose-ring, delete. Times as in 10s.\n\nFlags:")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	events, err := parse(flags.Args())
	if err != nil {
		return err
	}
	w := newWorld(*replicas, *grace, *start)
	w.settle()
	fmt.Fprintf(out, "%8s  %-10s %4s  %-24s %-28s %s\n", "TIME", "STEP", "SIZE", "RING", "LEDGER", "NOTE")
	w.play(events, *quiet, out)
	return nil
}

func parse(args []string) ([]event, error) {
	var events []event
	for _, arg := range args {
		text, at, ok := strings.Cut(arg, "@")
		if !ok {
			return nil, fmt.Errorf("%q: an event is written as replicas=3@10s", arg)
		}
		d, err := time.ParseDuration(at)
		if err != nil {
			return nil, fmt.Errorf("%q: %q is no time such as 10s", arg, at)
		}
		what, number, _ := strings.Cut(text, "=")
		e := event{at: d, what: what}
		switch what {
		case "replicas", "kill", "unready":
			if e.value, err = strconv.Atoi(number); err != nil || e.value < 0 {
				return nil, fmt.Errorf("%q: %s needs a number, as in %s=1@%s", arg, what, what, at)
			}
		case "delete", "lose-ring":
		default:
			return nil, fmt.Errorf("%q: there are the events replicas, kill, unready, lose-ring and delete", arg)
		}
		events = append(events, e)
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return events, nil
}

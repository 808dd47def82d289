//go:build integration

package faults

import (
	"fmt"
	"sync"
	"time"
)

// tally counts what was done, in all labs.
type tally struct {
	mu   sync.Mutex
	rows []row
	// conflicts are writes that the API server refused to one of two operators that both led, late
	// those that a leader of before sent in vain.
	conflicts, late int
}

// row is what was done to one workload.
type row struct {
	workload string
	// places are the writes of every undisturbed run, chances those of some.
	places, chances int
	// runs are those whose fault happened, void the others.
	runs, void int
}

func (c *tally) add(r row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rows = append(c.rows, r)
}

func (c *tally) print(took time.Duration) {
	var sum row
	fmt.Printf("%-32s %7s %8s %5s %5s\n", "workload", "writes", "chances", "runs", "void")
	for _, r := range c.rows {
		fmt.Printf("%-32s %7d %8d %5d %5d\n", r.workload, r.places, r.chances, r.runs, r.void)
		sum.places += r.places
		sum.runs += r.runs
	}
	fmt.Printf("figure faults.runs %d runs\n", sum.runs)
	fmt.Printf("figure faults.write_sites %d sites\n", sum.places)
	fmt.Printf("figure faults.conflicts %d writes\n", c.conflicts)
	fmt.Printf("figure faults.late_writes %d writes\n", c.late)
	fmt.Printf("figure faults.time %.0f s\n", took.Seconds())
}

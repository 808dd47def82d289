package ring_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
	"time"
)

// The figures are measured and judged by nobody here: what must hold is in other tests.
func TestRoutingFigures(t *testing.T) {
	if os.Getenv("BENCH") == "" {
		t.Skip("make bench-routing measures it")
	}
	fmt.Printf("figure routing.lookup_10_ns %.1f ns\n", lookupTime(t, ours, 10))
	fmt.Printf("figure routing.lookup_1000_ns %.1f ns\n", lookupTime(t, ours, 1000))
	most, strays := 0.0, 0
	for n := 1; n <= 100; n++ {
		keys := someKeys(20_000 * n)
		for _, c := range changes(t, ours, keys, n) {
			strays += c.stray
		}
		most = slices.Max(append(loads(t, ours, keys, n), most))
	}
	// The keys of a member are those that move when it leaves: with no strays, all of them.
	fmt.Printf("figure routing.moved_over_ideal_max %.3f x\n", most)
	fmt.Printf("figure routing.moved_although_owner_stayed %d keys\n\n", strays)
	compare(t)
}

// compare prints the schemes beside each other: what moves when the first, the middle or the last of n
// members leaves or returns, for n up to 20, 50 and 100; how the load of 100 is spread; the speed.
func compare(t *testing.T) {
	t.Helper()
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	defer w.Flush()
	fmt.Fprintln(w, "\tmoved over 1/n\t\tmoved although\tload over mean\t\tlookup, ns\t\t")
	fmt.Fprintln(w, "\tmean\tmax\towner stayed, max\tleast\tmost\t10 members\t1000\t")
	for _, s := range schemes {
		var over, strays []float64
		for _, n := range append(upTo(21)[1:], 50, 100) {
			for _, c := range changes(t, s, someKeys(n*keysPerMember), n) {
				over = append(over, c.overIdeal())
				strays = append(strays, 100*float64(c.stray)/float64(c.keys))
			}
		}
		sum := 0.0
		for _, x := range over {
			sum += x
		}
		load := loads(t, s, someKeys(100*keysPerMember), 100)
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.1f %%\t%.2f\t%.2f\t%.1f\t%.1f\t\n", s.name, sum/float64(len(over)), slices.Max(over),
			slices.Max(strays), slices.Min(load), slices.Max(load), lookupTime(t, s, 10), lookupTime(t, s, 1000))
	}
}

// lookupTime is the time in ns that a lookup among n members takes, for keys in no order: the
// least of many short runs, since others share the machine.
func lookupTime(t *testing.T, s scheme, n int) float64 {
	t.Helper()
	locate, keys := s.over(t, members(upTo(n)...)), someKeys(1<<12)
	numbers(5).Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	least := time.Hour
	for range 300 {
		start := time.Now()
		for _, key := range keys {
			locate(key)
		}
		least = min(least, time.Since(start))
	}
	return float64(least) / float64(len(keys))
}

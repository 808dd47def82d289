//go:build e2e

package e2e

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The clients of the cache sources get its ring in both ways while the specs run: a kubelet takes
// its time, up to a minute and a half for each change. So this begins before the first spec and
// is judged after the last.
const (
	sourcesGrace = 120 * time.Second
	readers      = 4
)

type sources struct {
	watching load
	reading  []load
	shrunk   time.Time
}

// startSources scales a cache down under clients of both kinds.
func startSources() *sources {
	GinkgoHelper()
	loadImageOnce()
	apply(cache("sources", fmt.Sprintf("{replicas: 3, drain: {gracePeriodSeconds: %.0f}}", sourcesGrace.Seconds())))
	ready("sources")
	s := &sources{watching: startLoad("watcher", "sources", "-rate=20")}
	for i := range readers {
		s.reading = append(s.reading, startLoad(fmt.Sprintf("reader-%d", i), "sources", "-rate=20", "-ring=/ring"))
	}
	must("scale", "dc", "sources", "--replicas=2")
	s.shrunk = time.Now()
	return s
}

// judge lets the cache grow once the drain is over, waits until all clients have seen it, and holds
// that none has missed a beat. The lag of a file is counted from when a watch saw the same ring.
func (s *sources) judge() {
	GinkgoHelper()
	By("C7: clients that read the ring from a file, beside one that watches it, through a scale-down and a growth")
	time.Sleep(time.Until(s.shrunk.Add(sourcesGrace)))
	Eventually(func() string { return must("get", "pods", "-l", "app.kubernetes.io/instance=sources", "-o", "name") }, "30s").
		ShouldNot(ContainSubstring("sources-2"))
	must("scale", "dc", "sources", "--replicas=4")
	ready("sources")
	version := ring("sources").Version
	for _, l := range append([]load{s.watching}, s.reading...) {
		Eventually(func() string { return must("logs", l.name) }, "150s", "1s").Should(ContainSubstring(fmt.Sprintf(`"Version":%d,`, version)))
	}
	watched := s.watching.stop()
	nothingLost("sources_api", watched)
	slowest := time.Duration(0)
	for _, l := range s.reading {
		read := l.stop()
		nothingLost("sources_file", read)
		for _, seen := range read.Rings {
			slowest = max(slowest, seen.At.Sub(sightingOf(watched, seen.Version).At))
		}
	}
	fmt.Printf("\nfigure client.lag_file_max_s %.1f s\n", slowest.Seconds())
	Expect(slowest).To(BeNumerically("<", sourcesGrace), "the documented grace for files is above what a kubelet takes")
	deleteAtOnce("sources")
}

// deleteAtOnce deletes a cache that has no clients any more, whatever its grace.
func deleteAtOnce(cache string) {
	GinkgoHelper()
	must("patch", "dc", cache, "--type=merge", "-p", `{"spec":{"drain":{"gracePeriodSeconds":0}}}`)
	must("delete", "dc", cache, "--timeout=60s")
}

func sightingOf(o outcome, version int64) sighting {
	GinkgoHelper()
	for _, s := range o.Rings {
		if s.Version == version {
			return s
		}
	}
	Fail(fmt.Sprintf("the watch never saw ring version %d: %+v", version, o.Rings))
	return sighting{}
}

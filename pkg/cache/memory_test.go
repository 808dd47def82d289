package cache

import (
	"errors"
	"testing"
	"testing/fstest"
)

// The plan must add up for every pod size the operator allows and at the worst
// load, recomputed here from the parts.
func TestPlanMemoryAddsUp(t *testing.T) {
	for limit := int64(64 * mib); limit <= 8192*mib; limit += 32 * mib {
		p, err := PlanMemory(limit, DefaultMaxValueSize)
		if err != nil {
			t.Fatalf("%d MiB: %v", limit/mib, err)
		}
		index := p.IndexBytes * collectorSlackNum / collectorSlackDen
		outside := outsideGo + limit/outsideShare
		sum := outside + goBase + p.Capacity + p.Capacity/ringTableShare + index +
			p.Payloads + int64(p.MaxConnections)*ConnectionCost
		if sum > limit {
			t.Errorf("%d MiB: the parts add up to %d MiB: %+v", limit/mib, sum/mib, p)
		}
		if p.GoMemoryLimit+p.Capacity+outside > limit {
			t.Errorf("%d MiB: Go's limit leaves no room: %+v", limit/mib, p)
		}
		if p.Capacity%CapacityUnit != 0 || p.Capacity*100/limit < 33 {
			t.Errorf("%d MiB: rings of %d MiB", limit/mib, p.Capacity/mib)
		}
		if _, err := (&Options{Capacity: p.Capacity, IndexBytes: p.IndexBytes}).check(); err != nil {
			t.Errorf("%d MiB: the engine refuses its own plan: %v", limit/mib, err)
		}
	}
}

func (o *Options) check() (Options, error) {
	d := o.withDefaults()
	return d, d.validate()
}

func TestPlanMemoryRefuses(t *testing.T) {
	for name, args := range map[string]struct {
		limit int64
		value int
	}{
		"too little":                 {64*mib - 1, 1024},
		"values too large for a pod": {64 * mib, 2 * mib},
	} {
		if p, err := PlanMemory(args.limit, args.value); !errors.Is(err, ErrMemory) {
			t.Errorf("%s: %+v, %v; want ErrMemory", name, p, err)
		}
	}
}

// Of a machine larger than the rings can be, the rest stays free.
func TestPlanMemoryOfAHugeMachine(t *testing.T) {
	p, err := PlanMemory(4*maxCapacity, DefaultMaxValueSize)
	if err != nil || p.Capacity != maxCapacity {
		t.Errorf("%+v, %v; want a capacity of %d", p, err, int64(maxCapacity))
	}
}

func TestOptionsRefused(t *testing.T) {
	for name, o := range map[string]Options{
		"capacity below the unit": {Capacity: CapacityUnit - 1},
		"negative capacity":       {Capacity: -1},
		"capacity over 32 bits":   {Capacity: maxCapacity + CapacityUnit},
		"value of half the cache": {MaxValueSize: CapacityUnit / 2},
		"negative value limit":    {MaxValueSize: -1},
		"negative index bound":    {IndexBytes: -1},
		"index of nothing":        {IndexBytes: minIndexBytes - 1},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestContainerLimit(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for name, tt := range map[string]struct {
		files fstest.MapFS
		want  int64 // 0 = none
		err   bool
	}{
		"no cgroup files": {fstest.MapFS{}, 0, false},
		"v2, own namespace": {fstest.MapFS{
			"proc/self/cgroup":         file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("134217728\n"),
		}, 128 * mib, false},
		"v2, no limit": {fstest.MapFS{
			"proc/self/cgroup":         file("0::/\n"),
			"sys/fs/cgroup/memory.max": file("max\n"),
		}, 0, false},
		"v2, the tightest ancestor counts": {fstest.MapFS{
			"proc/self/cgroup":             file("0::/a/b\n"),
			"sys/fs/cgroup/a/memory.max":   file("67108864\n"),
			"sys/fs/cgroup/a/b/memory.max": file("134217728\n"),
		}, 64 * mib, false},
		"v2, path outside the mount": {fstest.MapFS{
			"proc/self/cgroup":         file("0::/kubepods/pod1/x\n"),
			"sys/fs/cgroup/memory.max": file("67108864\n"),
		}, 64 * mib, false},
		"v1": {fstest.MapFS{
			"proc/self/cgroup":                               file("4:cpu,cpuacct:/x\n3:memory:/pod\n0::/\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes":     file("9223372036854771712\n"),
			"sys/fs/cgroup/memory/pod/memory.limit_in_bytes": file("268435456\n"),
		}, 256 * mib, false},
		"v1, no limit, 64 KiB pages": {fstest.MapFS{
			"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854710272\n"),
		}, 0, false},
		"not a number": {fstest.MapFS{
			"sys/fs/cgroup/memory.max": file("lots\n"),
		}, 0, true},
	} {
		got, ok, err := ContainerLimit(tt.files)
		if got != tt.want && ok || ok != (tt.want != 0) || (err != nil) != tt.err {
			t.Errorf("%s: %d, %v, %v; want %d, error %v", name, got, ok, err, tt.want, tt.err)
		}
	}
}

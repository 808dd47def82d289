package cacheclient_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/sk1-services/distributed-cache/pkg/cacheclient"
	"github.com/sk1-services/distributed-cache/pkg/cacheserver"
)

func benchClient(b *testing.B) *cacheclient.Client {
	b.Helper()
	listener, _ := serve(b, "127.0.0.1:0", cacheserver.Options{})
	return start(b, cacheclient.Options{
		Source:  cacheclient.Fixed(snapshot("uid", 1, 0)),
		Address: func(string) string { return listener.Addr().String() },
		Timeout: time.Minute,
	})
}

func BenchmarkGet(b *testing.B) {
	c := benchClient(b)
	for _, size := range []int{100, 100 << 10} {
		key := fmt.Appendf(nil, "user-%d", size)
		if stored, err := c.Set(b.Context(), key, make([]byte, size), 0); !stored || err != nil {
			b.Fatal(stored, err)
		}
		get := func(b *testing.B) {
			b.Helper()
			if _, found, err := c.Get(b.Context(), key); !found || err != nil {
				b.Error(found, err)
			}
		}
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				get(b)
			}
		})
		b.Run(fmt.Sprintf("%dB/parallel", size), func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(8)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					get(b)
				}
			})
		})
	}
}

func BenchmarkSet(b *testing.B) {
	c, value := benchClient(b), make([]byte, 100)
	b.ReportAllocs()
	for b.Loop() {
		if stored, err := c.Set(b.Context(), []byte("user-1234"), value, time.Minute); !stored || err != nil {
			b.Fatal(stored, err)
		}
	}
}

func BenchmarkGetMany(b *testing.B) {
	c := benchClient(b)
	keys, _ := batchOf(100)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.GetMany(b.Context(), keys); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGetOrLoad(b *testing.B) {
	c := benchClient(b)
	load := func(context.Context) ([]byte, error) { return make([]byte, 100), nil }
	b.Run("hit", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.GetOrLoad(b.Context(), []byte("k"), time.Minute, load); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// A member that is left alone costs next to nothing.
func BenchmarkGetOfADeadMember(b *testing.B) {
	c := start(b, cacheclient.Options{
		Source: cacheclient.Fixed(snapshot("uid", 1, 0)), Address: nowhere, MinBackoff: time.Hour, MaxBackoff: time.Hour,
	})
	b.ReportAllocs()
	for b.Loop() {
		if _, found, err := c.Get(b.Context(), []byte("k")); found || err != nil {
			b.Fatal(found, err)
		}
	}
}

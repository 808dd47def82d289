package cacheserver

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

func TestPodFiles(t *testing.T) {
	const grace, limit = 30 * time.Second, 55 * time.Second
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  time.Duration
	}{
		{"without files the default holds, and a second for the ring", nil, 31 * time.Second},
		{"the pod's own grace holds", map[string]string{DrainGraceFile: "5"}, 6 * time.Second},
		{"who left before serves for the rest", map[string]string{DrainGraceFile: "20", DrainingSinceFile: "1999-12-31T23:59:50Z"}, 10 * time.Second},
		{"who is drained stops at once", map[string]string{DrainGraceFile: "5", DrainingSinceFile: "1999-12-31T23:59:50Z"}, 0},
		{"nobody serves beyond the limit", map[string]string{DrainGraceFile: "3600"}, limit},
		{"an empty mark is none", map[string]string{DrainGraceFile: "5", DrainingSinceFile: ""}, 6 * time.Second},
		{"nonsense is ignored", map[string]string{DrainGraceFile: "x", DrainingSinceFile: "y"}, 31 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// The bubble's clock begins at midnight UTC of 2000-01-01.
				files := fstest.MapFS{}
				for name, text := range tc.files {
					files[name] = &fstest.MapFile{Data: []byte(text)}
				}
				start := time.Now()
				PodFiles{Files: files, Grace: grace, Limit: limit}.ServeOn(t.Context())
				if took := time.Since(start); took != tc.want {
					t.Errorf("served on for %s, want %s", took, tc.want)
				}
			})
		})
	}
}

func TestPodFilesMayChange(t *testing.T) {
	dir := t.TempDir()
	write := func(seconds string) {
		if err := os.WriteFile(filepath.Join(dir, DrainGraceFile), []byte(seconds), 0o600); err != nil {
			t.Error(err)
		}
	}
	write("30")
	synctest.Test(t, func(t *testing.T) {
		time.AfterFunc(3*time.Second, func() { write("1") })
		start := time.Now()
		PodFiles{Files: os.DirFS(dir), Limit: time.Minute}.ServeOn(t.Context())
		if took := time.Since(start); took < 3*time.Second || took > 4*time.Second {
			t.Errorf("served on for %s", took)
		}
	})
}

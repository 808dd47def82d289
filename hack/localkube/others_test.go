//go:build realnode

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// supervisors finds the state directories of the instances that are up and not these tests',
// by the supervisors' process ids.
func supervisors(t *testing.T) map[int]string {
	t.Helper()
	out := map[int]string{}
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		args := strings.Split(string(raw), "\x00")
		if len(args) < 6 || args[1] != "supervise" || strings.HasPrefix(args[3], prefix) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			out[pid] = args[5]
		}
	}
	return out
}

// otherInstances are the PID namespaces of other instances and of the pods inside them.
func otherInstances(t *testing.T) map[string]bool {
	t.Helper()
	others := supervisors(t)
	out := map[string]bool{}
	self, _ := os.Readlink("/proc/self/ns/pid")
	found, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range found {
		pid, _ := strconv.Atoi(filepath.Base(proc))
		for at := pid; at > 1; at = parent(at) {
			if others[at] == "" {
				continue
			}
			if space, err := os.Readlink(proc + "/ns/pid"); err == nil && space != self {
				out[space] = true
			}
			break
		}
	}
	return out
}

func parent(pid int) int {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if value, ok := strings.CutPrefix(line, "PPid:"); ok {
			ppid, _ := strconv.Atoi(strings.TrimSpace(value))
			return ppid
		}
	}
	return 0
}

// ownedByOther reports whether a host link is one that another living instance recorded.
func ownedByOther(t *testing.T, link string) bool {
	t.Helper()
	for _, state := range supervisors(t) {
		raw, err := os.ReadFile(filepath.Join(state, "instance.json"))
		var recorded struct{ Network int }
		if err != nil || json.Unmarshal(raw, &recorded) != nil {
			continue
		}
		if link == "lk"+strconv.Itoa(recorded.Network)+"h" {
			return true
		}
	}
	return false
}

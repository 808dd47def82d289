package instance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Process names one process of this machine for as long as the machine runs. A pid alone is
// handed out again; with the start time and the boot it cannot be mistaken for another.
type Process struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"startTicks"`
	BootID     string `json:"bootID"`
}

// ReadProcess describes the living process with this pid.
func ReadProcess(pid int) (Process, error) {
	ticks, _, err := readStat(pid)
	if err != nil {
		return Process{}, err
	}
	boot, err := bootID()
	if err != nil {
		return Process{}, err
	}
	return Process{PID: pid, StartTicks: ticks, BootID: boot}, nil
}

// Alive reports whether this very process still runs. A zombie counts as dead: all that it
// owned is gone, only its parent has not looked yet.
func (p Process) Alive() bool {
	if p.PID <= 0 {
		return false
	}
	if !p.ThisBoot() {
		return false
	}
	ticks, state, err := readStat(p.PID)
	return err == nil && ticks == p.StartTicks && state != "Z" && state != "X"
}

// EndsWithin waits for the process to end, and reports whether it did in time.
func (p Process) EndsWithin(ctx context.Context, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for p.Alive() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// ThisBoot reports whether the process was of this boot of the machine: only then do the
// kernel's numbers that were recorded with it still mean the same.
func (p Process) ThisBoot() bool {
	boot, err := bootID()
	return err == nil && boot == p.BootID
}

func bootID() (string, error) {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", fmt.Errorf("read the boot id: %w", err)
	}
	return strings.TrimSpace(string(raw)), nil
}

func readStat(pid int) (ticks uint64, state string, err error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, "", fmt.Errorf("read process %d: %w", pid, err)
	}
	return parseStat(string(raw))
}

var errStat = errors.New("unexpected form of /proc/PID/stat")

// parseStat reads the state (field 3) and the start time (field 22). The command name in
// field 2 may hold spaces and brackets, so fields are counted from its last bracket.
func parseStat(stat string) (ticks uint64, state string, err error) {
	end := strings.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, "", errStat
	}
	fields := strings.Fields(stat[end+1:])
	const startTime = 22 - 3
	if len(fields) <= startTime {
		return 0, "", errStat
	}
	ticks, err = strconv.ParseUint(fields[startTime], 10, 64)
	if err != nil {
		return 0, "", fmt.Errorf("%w: %w", errStat, err)
	}
	return ticks, fields[0], nil
}

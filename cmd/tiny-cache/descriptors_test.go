package main

import (
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"
)

// Out of file descriptors, tiny-cache serves those who are there, does not spin, and
// takes others in again when it has some.
func TestOutOfDescriptors(t *testing.T) {
	addr := freeAddress(t)
	cmd, log := command(t, "--memory 64Mi --drain-grace 0s --listen "+addr)
	cmd.Args = []string{"sh", "-c", `ulimit -n 24 && exec "$0"`, cmd.Path}
	cmd.Path = "/bin/sh"
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, addr, `"ready"`)
	early := &http.Client{Transport: &http.Transport{}}
	get := func(c *http.Client) error {
		res, err := c.Get("http://" + addr + "/v1/cache/k")
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, res.Body) // or the connection is not kept
		return res.Body.Close()
	}
	if err := get(early); err != nil {
		t.Fatal(err)
	}
	var crowd []net.Conn
	for range 40 {
		c, err := net.Dial("tcp", addr) // the kernel takes it in any case
		if err != nil {
			t.Fatal(err)
		}
		crowd = append(crowd, c)
	}
	for range 3 {
		time.Sleep(700 * time.Millisecond)
		if err := get(early); err != nil {
			t.Errorf("who came before is not served: %v", err)
		}
	}
	for _, c := range crowd {
		_ = c.Close()
	}
	waitFor(t, addr, `"ready"`)
	var used syscall.Rusage
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v, log: %s", err, log)
	}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		used = *u
	}
	if spent := time.Duration(used.Utime.Nano() + used.Stime.Nano()); spent > time.Second {
		t.Errorf("%v of processor time were spent on waiting", spent)
	}
}

package servers

import (
	"os"
	"strconv"

	"github.com/sk1-services/distributed-cache/test/bench/wire"
)

// Kind is a program that is compared.
type Kind struct {
	// Name is what reports call it.
	Name string
	// Protocol is what it speaks.
	Protocol wire.Protocol

	command func(port int, memory int64) []string
}

const mib = 1 << 20

// TinyCache is the program under test.
func TinyCache(program string, protocol wire.HTTP) Kind {
	return Kind{Name: "tiny-cache", Protocol: protocol, command: func(port int, memory int64) []string {
		return []string{
			program, "--listen", "127.0.0.1:" + strconv.Itoa(port), "--memory", strconv.FormatInt(memory, 10),
			"--drain-grace", "0s", "--log-level", "warn",
		}
	}}
}

// Memcached has one worker thread: all servers have one core, where more would only take turns.
func Memcached() Kind {
	return Kind{Name: "memcached", Protocol: wire.Memcached{}, command: func(port int, memory int64) []string {
		command := []string{
			"memcached", "-l", "127.0.0.1", "-p", strconv.Itoa(port), "-U", "0", "-t", "1", "-c", "1024",
			"-m", strconv.FormatInt(memory/mib, 10),
		}
		if os.Getuid() == 0 {
			command = append(command, "-u", "root")
		}
		return command
	}}
}

// Redis writes nothing to disk, and evicts what was used least recently.
func Redis() Kind {
	return Kind{Name: "redis", Protocol: wire.Redis{}, command: func(port int, memory int64) []string {
		return []string{
			"redis-server", "--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--save", "", "--appendonly", "no",
			"--maxmemory", strconv.FormatInt(memory, 10), "--maxmemory-policy", "allkeys-lru",
		}
	}}
}

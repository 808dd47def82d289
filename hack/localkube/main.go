// Command localkube runs a real one-node Kubernetes from pinned Go modules, without a container
// engine. See README.md.
package main

import (
	"os"

	"github.com/sk1-services/distributed-cache/hack/localkube/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
}

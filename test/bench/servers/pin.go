package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
)

// PinSelf keeps this process, all threads that it has and will have, on one core.
func PinSelf(ctx context.Context, core int) error {
	pin := exec.CommandContext(ctx, "taskset", "-a", "-c", "-p", strconv.Itoa(core), strconv.Itoa(os.Getpid())) // #nosec G204 -- numbers
	if out, err := pin.CombinedOutput(); err != nil {
		return fmt.Errorf("pin the load generator to core %d: %w: %s", core, err, out)
	}
	return nil
}

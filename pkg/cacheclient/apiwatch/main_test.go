package apiwatch_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No test leaves a goroutine behind; the library's log has one that lives as long as the process.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("k8s.io/klog/v2.(*flushDaemon).run.func1"))
}

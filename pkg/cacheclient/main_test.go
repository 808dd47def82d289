package cacheclient_test

import (
	"testing"

	"go.uber.org/goleak"
)

// No test leaves a goroutine behind, of the client or its own.
func TestMain(m *testing.M) {
	// What is behind the real server keeps the date for all servers of the process, and sleeps for
	// two seconds before it sees that it is to end.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
)

// Variable is the environment variable with the size of the heap, in bytes, above which a
// program collects sooner than GOGC=200 says. Without it nothing changes.
const Variable = "RECONFORM_HEAP"

const (
	// usual is the growth of a small heap between two collections, in percent of what is in
	// use, and least that of a large one. With less than that a program does little but
	// collect.
	usual, least = 200, 60
	liveBytes    = "/gc/heap/live:bytes"
)

// Bound keeps the heap of this process below the size that the variable says, until the process
// ends, as long as that does not mean to collect all the time.
func Bound() {
	size, err := strconv.ParseInt(os.Getenv(Variable), 10, 64)
	if err != nil || size <= 0 {
		return
	}
	collected := make(chan struct{}, 1)
	afterCollections(collected)
	go func() {
		sample := []metrics.Sample{{Name: liveBytes}}
		for range collected {
			metrics.Read(sample)
			debug.SetGCPercent(growth(int64(sample[0].Value.Uint64()), size))
		}
	}()
}

// growth returns how much a heap may grow before the next collection, in percent of what
// is in use, so that it stays below a size.
func growth(live, size int64) int {
	if live <= 0 {
		return usual
	}
	return int(min(usual, max(least, (size-live)*100/live)))
}

// afterCollections sends after each collection, unless the last one was not received yet.
func afterCollections(collected chan<- struct{}) {
	type mark struct{ _ [16]byte }
	var again func(*mark)
	again = func(m *mark) {
		select {
		case collected <- struct{}{}:
		default:
		}
		runtime.SetFinalizer(m, again)
	}
	runtime.SetFinalizer(&mark{}, again)
}

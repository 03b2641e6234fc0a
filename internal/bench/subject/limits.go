package subject

import (
	"context"
	"fmt"
	"time"

	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/record/history"
)

// What a replica may use: more than any controller needs, but not so much that the machine
// that judges it breaks down.
const (
	mostMemory    = 4 << 30
	mostProcesses = 1000
	limitInterval = time.Second
)

// excess says which limit a replica exceeds, or returns "".
func excess(u sandbox.Usage) string {
	switch {
	case u.Memory > mostMemory:
		return fmt.Sprintf("it held %d MiB of memory, and at most %d are allowed", u.Memory>>20, mostMemory>>20)
	case u.Processes > mostProcesses:
		return fmt.Sprintf("it had %d processes, and at most %d are allowed", u.Processes, mostProcesses)
	default:
		return ""
	}
}

// watchLimits kills a process that uses too much, until the context ends.
func (r *replica) watchLimits(ctx context.Context, l *life) {
	ticker := time.NewTicker(limitInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		usage, err := l.process.Usage()
		if err != nil {
			return // this machine cannot measure it
		}
		if words := excess(usage); words != "" {
			r.command(l, order{reason: history.ReplicaOverLimit, why: words})
			_ = l.process.Kill() // it is gone then, even if there is an error
			return
		}
	}
}

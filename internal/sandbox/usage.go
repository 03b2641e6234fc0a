package sandbox

import "os"

// Usage is what processes hold.
type Usage struct {
	// Memory that is resident, in bytes. What they share counts for each.
	Memory int64
	// Descriptors that are open.
	Descriptors int64
	// Processes that there are.
	Processes int64
}

// Usage of the program and all its descendants. The init above them is ours, and does
// not count.
func (p *Process) Usage() (Usage, error) { return usageBelow(p.Pid()) }

// CheckUsage says why processes cannot be measured on this machine; nil where they can.
func CheckUsage() error {
	_, err := usageBelow(os.Getpid())
	return err
}

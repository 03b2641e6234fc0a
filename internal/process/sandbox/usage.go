package sandbox

import "os"

// Usage is what processes use.
type Usage struct {
	// Memory is the resident memory, in bytes. Shared memory counts for each process.
	Memory int64
	// Descriptors is the number of open file descriptors.
	Descriptors int64
	// Processes is the number of processes.
	Processes int64
}

// Usage measures the program and all its descendants. The init above them is ours, and does
// not count.
func (p *Process) Usage() (Usage, error) { return usageBelow(p.Pid()) }

// CheckUsage says why processes cannot be measured on this machine, or returns nil.
func CheckUsage() error {
	_, err := usageBelow(os.Getpid())
	return err
}

package pid1

import "syscall"

const (
	limitProcesses = 6 // RLIMIT_NPROC
	// These are more than one program ever needs, and stop what grows without end.
	mostFiles     = 1 << 16
	mostProcesses = 1 << 14 // of the user, on the whole machine
	largestFile   = 1 << 30
)

// limit limits how much of the machine the subject can use. The bench watches its memory.
func limit() error {
	for resource, most := range map[int]uint64{
		syscall.RLIMIT_NOFILE: mostFiles, limitProcesses: mostProcesses, syscall.RLIMIT_FSIZE: largestFile, syscall.RLIMIT_CORE: 0,
	} {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(resource, &now); err != nil {
			return failed("reading a limit", err)
		}
		if now.Max <= most {
			continue
		}
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: min(now.Cur, most), Max: most}); err != nil {
			return failed("setting a limit", err)
		}
	}
	// If memory runs out, the kernel must kill the subject, and not the bench.
	fd, err := syscall.Open("/proc/self/oom_score_adj", syscall.O_WRONLY|syscall.O_CLOEXEC, 0)
	if err == nil {
		_, err = syscall.Write(fd, []byte("1000"))
		_ = syscall.Close(fd)
	}
	if err != nil {
		report(Missed, failed("asking to be killed first if memory runs out", err).Error())
	}
	return nil
}

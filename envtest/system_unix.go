package envtest

import "syscall"

// ownGroup keeps the terminal's Ctrl+C from the components: it is for this process, which then stops them.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

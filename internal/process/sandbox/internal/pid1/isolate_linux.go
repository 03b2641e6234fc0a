package pid1

import (
	"syscall"
	"unsafe"
)

const (
	sysMountSetattr = 442
	atRecursive     = 0x8000
	openPath        = 0x200000 // O_PATH
)

// isolate sets up the hostname and the file system that the subject sees.
func (t *Task) isolate() error {
	syscall.Umask(0)
	if err := failed("setting the host name", syscall.Sethostname([]byte(t.Hostname))); err != nil {
		return err
	}
	if t.Network {
		if err := t.openNetwork(); err != nil {
			return err
		}
	}
	if err := failed("making the mounts private", syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")); err != nil {
		return err
	}
	if err := makeReadOnly(); err != nil {
		report(Missed, err.Error())
	}
	if err := t.mount(); err != nil {
		return err
	}
	for _, path := range t.Folders {
		if err := t.folder(path); err != nil {
			return err
		}
	}
	for _, file := range t.Files {
		if err := t.file(file); err != nil {
			return err
		}
	}
	for _, file := range t.Over {
		if err := t.over(file); err != nil {
			report(Missed, err.Error())
		}
	}
	if err := syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""); err != nil {
		report(Missed, failed("hiding the machine's other processes in /proc", err).Error())
	}
	syscall.Umask(0o022)
	return nil
}

// mountAttributes is a struct mount_attr.
type mountAttributes struct{ set, clear, propagation, userns uint64 }

const readOnly = 1 // MOUNT_ATTR_RDONLY

// makeReadOnly makes everything that is mounted now read-only.
func makeReadOnly() error {
	return failed("making the file system read-only", change("/", atRecursive, mountAttributes{set: readOnly}))
}

// change changes the attributes of what is mounted on path.
func change(path string, flags uintptr, attributes mountAttributes) error {
	name, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	_, _, errno := syscall.RawSyscall6(sysMountSetattr, 0, uintptr(unsafe.Pointer(name)), flags,
		uintptr(unsafe.Pointer(&attributes)), unsafe.Sizeof(attributes), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// mount changes the view. It opens what must stay visible before it hides anything.
func (t *Task) mount() error {
	open := make([]int, len(t.View))
	for i, m := range t.View {
		if m.Options != "" {
			continue
		}
		fd, err := syscall.Open(m.Path, openPath|syscall.O_CLOEXEC, 0)
		if err != nil {
			return failed("opening "+m.Path, err)
		}
		defer syscall.Close(fd)
		open[i] = fd
	}
	for i, m := range t.View {
		if m.Options != "" {
			if err := syscall.Mount("tmpfs", m.Path, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, m.Options); err != nil {
				return failed("hiding "+m.Path, err)
			}
			continue
		}
		if err := show(m.Path, open[i]); err != nil {
			return failed("showing "+m.Path, err)
		}
		if !m.Writable {
			continue
		}
		// On a system that does not know the call, nothing is read-only.
		if err := change(m.Path, 0, mountAttributes{clear: readOnly}); err != nil && err != syscall.ENOSYS {
			return failed("letting it write to "+m.Path, err)
		}
	}
	return nil
}

// show mounts what fd refers to on path. It creates path first.
func show(path string, fd int) error {
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		if err := makeAll(path); err != nil {
			return err
		}
	} else {
		if err := makeAll(parent(path)); err != nil {
			return err
		}
		target, err := syscall.Open(path, syscall.O_CREAT|syscall.O_WRONLY|syscall.O_CLOEXEC, 0o644)
		if err != nil {
			return err
		}
		_ = syscall.Close(target)
	}
	return syscall.Mount("/proc/self/fd/"+decimal(fd), path, "", syscall.MS_BIND|syscall.MS_REC, "")
}

// folder creates a folder that the subject owns.
func (t *Task) folder(path string) error {
	if err := makeAll(path); err != nil {
		return failed("making "+path, err)
	}
	return t.own(path)
}

// over mounts a file over one of the machine's files, which stays as it is. The machine's file
// must exist, because nothing can be created on a read-only file system.
func (t *Task) over(f File) error {
	source := t.Stage + "/over"
	if err := write(File{Path: source, Content: f.Content, Mode: f.Mode}); err != nil {
		return err
	}
	err := syscall.Mount(source, f.Path, "", syscall.MS_BIND, "")
	if err == nil {
		err = syscall.Mount("", f.Path, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY|syscall.MS_NOSUID|syscall.MS_NODEV, "")
	}
	if err != nil {
		_ = syscall.Unlink(source)
		return failed("replacing "+f.Path, err)
	}
	return failed("removing "+source, syscall.Unlink(source))
}

// file creates a file that the subject owns.
func (t *Task) file(f File) error {
	if err := write(f); err != nil {
		return err
	}
	return t.own(f.Path)
}

func write(f File) error {
	if err := makeAll(parent(f.Path)); err != nil {
		return failed("making the folder of "+f.Path, err)
	}
	fd, err := syscall.Open(f.Path, syscall.O_CREAT|syscall.O_EXCL|syscall.O_WRONLY|syscall.O_CLOEXEC, f.Mode)
	if err != nil {
		return failed("creating "+f.Path, err)
	}
	defer syscall.Close(fd)
	for data := []byte(f.Content); len(data) > 0; {
		n, err := syscall.Write(fd, data)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return failed("writing "+f.Path, err)
		}
		data = data[n:]
	}
	return nil
}

// own makes the subject the owner of path.
func (t *Task) own(path string) error {
	if !t.Drop {
		return nil
	}
	return failed("giving away "+path, syscall.Chown(path, int(t.User), int(t.Group)))
}

// makeAll creates a directory and those above it.
func makeAll(path string) error {
	var stat syscall.Stat_t
	if path == "" || syscall.Stat(path, &stat) == nil {
		return nil
	}
	if err := makeAll(parent(path)); err != nil {
		return err
	}
	return syscall.Mkdir(path, 0o755)
}

func parent(path string) string {
	end := len(path) - 1
	for end > 0 && path[end] != '/' {
		end--
	}
	return path[:max(end, 0)]
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + string(rune('0'+n%10))
}

//go:build unix

package pid1

// Marker is the environment variable that makes a process an init.
const Marker = "RECONFORM_SUBJECT_INIT"

// The file descriptors of an init, besides the subject's standard streams.
const (
	// Control is read: the length of an encoded Task and the Task, then pairs of a target and
	// a signal. When it is closed, the init ends the tree.
	Control = 3
	// Status is written: reports, as in [Report].
	Status = 4
	// Sockets takes sockets of the subject's network, each with one byte: first those of
	// Task.Listen, in their order, then one for each [ToSocket].
	Sockets = 5
)

// Targets of a signal.
const (
	ToSubject byte = 's' // the process that was started
	ToTree    byte = 't' // that process and all its descendants
	ToSocket  byte = 'n' // no signal: make a socket to connect to the subject
)

// Kinds of a report. Each is followed by the length of its text, and the text.
const (
	Missed   byte = 'm' // something optional could not be isolated: the step that failed, and why
	Failed   byte = 'f' // the subject could not be started: the step that failed, and why
	Started  byte = 's' // the subject runs
	Signaled byte = 'r' // answer to a signal: empty, or why it was not delivered
	Exited   byte = 'x' // the subject's end: its wait status
)

// Task is what an init has to do.
type Task struct {
	// Path of the program. If it is empty, the init only tries everything else.
	Path      string
	Args, Env []string
	// Directory that the program is started in.
	Directory string
	// Drop makes the subject run as User and Group, without other groups.
	Drop        bool
	User, Group uint32
	// Contained is true if the init has its own namespaces. The fields below are only for
	// such an init.
	Contained bool
	Hostname  string
	// Network is true if it has its own network. The addresses of Listen are served there, by
	// the bench, which gets the sockets.
	Network bool
	Listen  []Address
	// View lists what is mounted over the machine's file system, in this order.
	View []Mount
	// Folders and files of the subject.
	Folders []string
	Files   []File
	// Over are files that replace files of the machine, read-only. They are first written to
	// Stage, a folder of the view, and do not stay there.
	Over  []File
	Stage string
}

// Address of an IPv4 socket.
type Address struct {
	IP   [4]byte
	Port uint16
}

// Mount is one change of what the subject sees.
type Mount struct {
	Path string
	// Options of an empty file system that hides Path. If there are none, Path becomes
	// visible again as it was before all changes.
	Options string
	// Writable lets the subject write to Path, which becomes visible again.
	Writable bool
}

// File of the subject.
type File struct {
	Path    string
	Content string
	// Mode is its permissions. The subject owns it.
	Mode uint32
}

// Encode returns the encoded Task, which is then sent to [Control].
func (t *Task) Encode() []byte {
	var e encoder
	e.text(t.Path)
	e.texts(t.Args)
	e.texts(t.Env)
	e.text(t.Directory)
	e.flag(t.Drop)
	e.number(t.User)
	e.number(t.Group)
	e.flag(t.Contained)
	e.text(t.Hostname)
	e.flag(t.Network)
	e.number(uint32(len(t.Listen)))
	for _, a := range t.Listen {
		e.text(string(a.IP[:]))
		e.number(uint32(a.Port))
	}
	e.number(uint32(len(t.View)))
	for _, m := range t.View {
		e.text(m.Path)
		e.text(m.Options)
		e.flag(m.Writable)
	}
	e.texts(t.Folders)
	e.files(t.Files)
	e.files(t.Over)
	e.text(t.Stage)
	var frame encoder
	frame.text(string(e))
	return frame
}

// decode reads the result of Encode, without the length at the start.
func decode(data []byte) *Task {
	d := decoder(data)
	t := &Task{
		Path: d.text(), Args: d.texts(), Env: d.texts(), Directory: d.text(),
		Drop: d.number() != 0, User: d.number(), Group: d.number(),
		Contained: d.number() != 0, Hostname: d.text(), Network: d.number() != 0,
	}
	t.Listen = make([]Address, d.number())
	for i := range t.Listen {
		t.Listen[i] = Address{IP: [4]byte([]byte(d.text())), Port: uint16(d.number())}
	}
	t.View = make([]Mount, d.number())
	for i := range t.View {
		t.View[i] = Mount{Path: d.text(), Options: d.text(), Writable: d.number() != 0}
	}
	t.Folders = d.texts()
	t.Files, t.Over, t.Stage = d.files(), d.files(), d.text()
	return t
}

type encoder []byte

func (e *encoder) number(n uint32) {
	*e = append(*e, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

func (e *encoder) flag(b bool) {
	if b {
		e.number(1)
		return
	}
	e.number(0)
}

func (e *encoder) text(s string) {
	e.number(uint32(len(s)))
	*e = append(*e, s...)
}

func (e *encoder) texts(list []string) {
	e.number(uint32(len(list)))
	for _, s := range list {
		e.text(s)
	}
}

func (e *encoder) files(list []File) {
	e.number(uint32(len(list)))
	for _, f := range list {
		e.text(f.Path)
		e.text(f.Content)
		e.number(f.Mode)
	}
}

// decoder trusts its input, because both ends are the same executable.
type decoder []byte

func (d *decoder) number() uint32 {
	b := *d
	*d = b[4:]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func (d *decoder) text() string {
	n := d.number()
	s := string((*d)[:n])
	*d = (*d)[n:]
	return s
}

func (d *decoder) texts() []string {
	list := make([]string, d.number())
	for i := range list {
		list[i] = d.text()
	}
	return list
}

func (d *decoder) files() []File {
	list := make([]File, d.number())
	for i := range list {
		list[i] = File{Path: d.text(), Content: d.text(), Mode: d.number()}
	}
	return list
}

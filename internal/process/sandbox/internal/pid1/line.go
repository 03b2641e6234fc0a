//go:build unix

package pid1

import "syscall"

// failure is a failed system call, and what it was for.
type failure struct {
	doing string
	errno error
}

func (f *failure) Error() string { return f.doing + ": " + f.errno.Error() }

func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return &failure{doing, err}
}

// text returns the text of an error, or "".
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// report sends the bench a message. An error is ignored: other code notices that the bench
// is gone.
func report(kind byte, message string) {
	e := encoder{kind}
	e.text(message)
	for data := []byte(e); len(data) > 0; {
		n, err := syscall.Write(Status, data)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return
		}
		data = data[n:]
	}
}

// receive fills data with what the bench sends. It returns false if the bench is gone.
func receive(data []byte) bool {
	for len(data) > 0 {
		n, err := syscall.Read(Control, data)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return false
		}
		data = data[n:]
	}
	return true
}

// receiveTask waits for the task. It returns nil if the bench is gone.
func receiveTask() *Task {
	var size [4]byte
	if !receive(size[:]) {
		return nil
	}
	length := decoder(size[:])
	data := make([]byte, length.number())
	if !receive(data) {
		return nil
	}
	return decode(data)
}

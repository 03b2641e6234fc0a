package main

import "io"

// output is standard output. It remembers what could not be written, on a full disk say:
// whoever asked for it did not get it.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(data []byte) (int, error) {
	n, err := o.Writer.Write(data)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// Fd is what it is known by to those who ask whether it is a terminal.
func (o *output) Fd() uintptr {
	if file, ok := o.Writer.(interface{ Fd() uintptr }); ok {
		return file.Fd()
	}
	return ^uintptr(0)
}

package main

import "io"

// output is standard output. It remembers if something could not be written, for example
// because the disk is full: then the user did not get the result.
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

// Fd lets others find out whether it is a terminal.
func (o *output) Fd() uintptr {
	if file, ok := o.Writer.(interface{ Fd() uintptr }); ok {
		return file.Fd()
	}
	return ^uintptr(0)
}

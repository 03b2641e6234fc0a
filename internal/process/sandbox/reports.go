//go:build unix

package sandbox

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"syscall"

	"reconform.dev/reconform/internal/process/sandbox/internal/pid1"
)

// follow reads the reports of the init until it is gone, and then cleans up.
func (p *Process) follow(reports *os.File) {
	defer close(p.done)
	for r := bufio.NewReader(reports); ; {
		kind, text, err := readReport(r)
		if err != nil {
			break
		}
		switch kind {
		case pid1.Missed:
			p.missed = append(p.missed, text)
		case pid1.Failed:
			p.refused = text
		case pid1.Started:
			close(p.started)
		case pid1.Signaled:
			p.answers <- text
		case pid1.Exited:
			status := syscall.WaitStatus(binary.LittleEndian.Uint32([]byte(text)))
			p.status = &status
		}
	}
	_ = reports.Close()
	_ = p.cmd.Wait() // its own status says no more than the reports
	_ = p.control.Close()
	_ = p.sockets.Close()
	if p.log != nil {
		p.log.Finish()
	}
	p.panicked = p.status != nil && (p.status.ExitStatus() == 2 || p.status.Signal() == syscall.SIGABRT) && p.log != nil && p.log.EndsInPanic()
	if p.scratch != "" {
		_ = os.RemoveAll(p.scratch)
	}
}

func readReport(r io.Reader) (kind byte, text string, err error) {
	var header [5]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return 0, "", err
	}
	data := make([]byte, binary.LittleEndian.Uint32(header[1:]))
	if _, err := io.ReadFull(r, data); err != nil {
		return 0, "", err
	}
	return header[0], string(data), nil
}

// refusal says why nothing was started, after the init is gone.
func (p *Process) refusal() error {
	if p.refused != "" {
		return errors.New(p.refused)
	}
	return errors.New("the init ended early: " + p.cmd.ProcessState.String())
}

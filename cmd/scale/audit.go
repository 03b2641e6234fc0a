package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// requests of the controller.
type requests struct {
	reads, writes, watches int
	refused                int       // of these: answered with an error
	last                   time.Time // when the last of them ended
}

func (r requests) all() int { return r.reads + r.writes + r.watches }

// audit adds up what kube-apiserver noted in its log.
type audit struct {
	path   string
	offset int64
	sum    requests
}

// event is a line of the log.
type event struct {
	Verb  string    `json:"verb"`
	Stage time.Time `json:"stageTimestamp"`
	// Response has the code, also of a request that was accepted.
	Response struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// take returns what was noted since the last call.
func (a *audit) take() (requests, error) {
	if err := a.read(); err != nil {
		return requests{}, err
	}
	taken := a.sum
	a.sum = requests{}
	return taken, nil
}

// read adds the lines that are new. A line that is not complete yet is read the next time.
func (a *audit) read() error {
	file, err := os.Open(a.path)
	if err != nil {
		return fmt.Errorf("reading the requests: %w", err)
	}
	defer file.Close()
	if _, err := file.Seek(a.offset, io.SeekStart); err != nil {
		return fmt.Errorf("reading the requests: %w", err)
	}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the requests: %w", err)
		}
		a.offset += int64(len(line))
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("reading the requests: %w", err)
		}
		a.sum.add(e)
	}
}

func (r *requests) add(e event) {
	r.last = e.Stage
	if e.Response.Code >= http.StatusBadRequest {
		r.refused++
	}
	switch e.Verb {
	case "get", "list", "head":
		r.reads++
	case "watch":
		r.watches++
	default:
		r.writes++
	}
}

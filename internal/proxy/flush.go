package proxy

import (
	"io"
	"net/http"
)

// flushing passes on every write at once.
type flushing struct {
	w       io.Writer
	flusher *http.ResponseController
}

func flush(w http.ResponseWriter) flushing {
	return flushing{w: w, flusher: http.NewResponseController(w)}
}

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err != nil {
		return n, err
	}
	return n, f.flusher.Flush()
}

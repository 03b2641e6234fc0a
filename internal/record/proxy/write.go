package proxy

import (
	"io"
	"maps"
	"net/http"
	"strconv"
)

// begin begins the answer to the replica: status and header.
func begin(w http.ResponseWriter, response *http.Response) {
	copyHeader(w.Header(), response.Header)
	w.WriteHeader(response.StatusCode)
}

// copyHeader copies an answer's header, without what belongs to one connection.
func copyHeader(to, from http.Header) {
	maps.Copy(to, from)
	removeHops(to)
}

// write writes a whole answer.
func write(w http.ResponseWriter, code int, header http.Header, body []byte) error {
	copyHeader(w.Header(), header)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(code)
	_, err := w.Write(body)
	return err
}

// writeAll passes on an answer that was read completely or in part.
func writeAll(w http.ResponseWriter, response *http.Response, body []byte, rest io.Reader) error {
	if rest == nil {
		return write(w, response.StatusCode, response.Header, body)
	}
	begin(w, response)
	if _, err := w.Write(body); err != nil {
		return err
	}
	_, err := io.Copy(w, rest)
	return err
}

// flushing passes every write on at once.
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

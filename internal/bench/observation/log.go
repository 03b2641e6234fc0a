package observation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/capture"
	"reconform.dev/reconform/internal/record/sanitize"
)

const (
	maxExamples = 5
	// maxLine limits what is kept of a line that does not end.
	maxLine = 1 << 20
)

// logFile reads the output of a replica, from its beginning.
type logFile struct {
	replicas              Replicas
	spec                  v1alpha1.ObservedLog
	namespace             string
	inNamespace, ofObject *regexp.Regexp

	path     string
	offset   int64
	rest     []byte // an unfinished line
	readings v1alpha1.LogReadings
}

func newLogFile(replicas Replicas, namespace string, spec v1alpha1.ObservedLog) *logFile {
	return &logFile{
		replicas: replicas, spec: spec, namespace: namespace,
		inNamespace: name(namespace), ofObject: name(spec.Object),
	}
}

// name matches an API name that is not part of a longer name.
func name(name string) *regexp.Regexp {
	return regexp.MustCompile(`(^|[^A-Za-z0-9-])` + regexp.QuoteMeta(name) + `($|[^A-Za-z0-9-])`)
}

func (l *logFile) read(_ context.Context, into *v1alpha1.ObservationStatus) (any, error) {
	if l.path == "" {
		path, err := l.replicas.Log(l.namespace, l.spec.Replica)
		if err != nil {
			return nil, fmt.Errorf("finding the log: %w", err)
		}
		l.path = path
	}
	written, err := l.written()
	if err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	l.rest = append(l.rest, written...)
	for {
		line, rest, ended := bytes.Cut(l.rest, []byte("\n"))
		if !ended && len(l.rest) < maxLine {
			break
		}
		l.see(strings.TrimRight(string(line), "\r"))
		l.rest = rest
	}
	into.Log = l.readings.DeepCopy()
	return into.Log, nil
}

// written returns what was written since the last reading. It fails if a part of the log
// is left out, because such a log cannot be judged.
func (l *logFile) written() ([]byte, error) {
	file, err := os.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // nothing has been started yet
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() >= capture.First {
		return nil, fmt.Errorf("the replica has written more than %d MB", capture.First>>20)
	}
	if _, err := file.Seek(l.offset, io.SeekStart); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(file)
	l.offset += int64(len(data))
	return data, err
}

// see judges one line.
func (l *logFile) see(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	r := &l.readings
	r.Lines++
	line := parseLine(text)
	if line.format != formatText {
		r.Structured++
	}
	if !line.holds(l.spec.Error) {
		return
	}
	missing := l.missing(line)
	count := &r.Complete
	if len(missing) > 0 {
		count = &r.Incomplete
	}
	*count++
	if *count <= maxExamples {
		r.Examples = append(r.Examples, v1alpha1.LogLine{Line: sanitize.Cut(text, maxExcerpt), Format: line.format, Missing: missing})
	}
}

// missing says which parts of the failure are in no field of a line. A name in the text of
// the error is not a field of its own.
func (l *logFile) missing(line line) []string {
	var namespace, object, failure bool
	for _, f := range line.fields {
		switch {
		case f.isMessage():
		case strings.Contains(f.value, l.spec.Error):
			failure = true
		default:
			namespace = namespace || l.inNamespace.MatchString(f.value)
			object = object || l.ofObject.MatchString(f.value)
		}
	}
	var missing []string
	for _, part := range []struct {
		name  string
		there bool
	}{{"namespace", namespace}, {"name", object}, {"error", failure}} {
		if !part.there {
			missing = append(missing, part.name)
		}
	}
	return missing
}

package runner

import (
	"os"

	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// words are what the subject of a scenario printed until a step failed.
type words struct {
	step  string           // the step that runs
	began map[string]int64 // how long each log was when the step began, by file
	// lines of the log at the moment of the failure. noted says that there was one.
	lines []string
	noted bool
}

// listen notes the log lines of the subject when a step of its scenario fails: those of this
// step, and lines before them if these are few. After the end of the scenario, its last lines
// are about its shutdown.
func (r *run) listen(s *scenario, event chainsaw.Event) {
	r.noting.Lock()
	defer r.noting.Unlock()
	of := r.words[s.namespace]
	if of == nil {
		of = &words{}
		if r.words == nil {
			r.words = map[string]*words{}
		}
		r.words[s.namespace] = of
	}
	switch {
	case of.noted:
	case event.Failed != "":
		of.lines, of.noted = linesSince(r.logDir(s.namespace), logLines, of.began), true
	case event.Step != of.step:
		of.step, of.began = event.Step, sizesOf(r.logDir(s.namespace))
	}
}

// sizesOf returns how long each log in a folder is.
func sizesOf(dir string) map[string]int64 {
	sizes := map[string]int64{}
	for _, file := range logsIn(dir) {
		if info, err := os.Stat(file); err == nil {
			sizes[file] = info.Size()
		}
	}
	return sizes
}

// lastWords returns the log lines of the subject before a step of its scenario failed.
// If no step failed, it returns its last lines.
func (r *run) lastWords(namespace string) []string {
	r.noting.Lock()
	defer r.noting.Unlock()
	if of := r.words[namespace]; of != nil && of.noted {
		return of.lines
	}
	return linesSince(r.logDir(namespace), logLines, nil)
}

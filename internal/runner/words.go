package runner

import "reconform.dev/reconform/internal/scenario/chainsaw"

// listen notes the last log lines of the subject when a step of its scenario fails. After
// the end of the scenario, its last lines are about its shutdown.
func (r *run) listen(s *scenario, event chainsaw.Event) {
	r.noting.Lock()
	defer r.noting.Unlock()
	if _, noted := r.words[s.namespace]; event.Failed == "" || noted {
		return
	}
	if r.words == nil {
		r.words = map[string][]string{}
	}
	r.words[s.namespace] = lastLines(r.logDir(s.namespace), logLines)
}

// lastWords returns the last log lines of the subject before a step of its scenario failed.
// If no step failed, it returns its last lines.
func (r *run) lastWords(namespace string) []string {
	r.noting.Lock()
	defer r.noting.Unlock()
	if lines, noted := r.words[namespace]; noted {
		return lines
	}
	return lastLines(r.logDir(namespace), logLines)
}

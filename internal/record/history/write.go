package history

// Write is a request that changed an object, with its body.
type Write struct {
	Request
	// ContentType of the body.
	ContentType string
	// Body as the replica sent it.
	Body []byte
	// Before is the object just before an update or a patch, as JSON. It is empty for a
	// create and an apply, because these contain everything that their sender wants.
	Before []byte
}

// sent is the body of a request.
type sent struct {
	contentType  string
	body, before []byte
}

// Sent stores the body of a write, and the object as it was before.
func (c *Record) Sent(contentType string, body, before []byte) {
	c.recorder.mu.Lock()
	defer c.recorder.mu.Unlock()
	c.scenario.sent[c.request] = sent{contentType, body, before}
}

// Writes returns the writes that the query selects and whose bodies are known, in the
// order in which they began.
func (r *Recorder) Writes(q Query) []Write {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var found []Write
	for _, request := range r.since(q) {
		body, known := r.scenarios[q.Scenario].sent[request]
		if known && q.selects(request) {
			found = append(found, Write{*request, body.contentType, body.body, body.before})
		}
	}
	return found
}

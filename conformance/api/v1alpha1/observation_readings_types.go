package v1alpha1

// EndpointReadings are what an endpoint has answered since the Observation began.
type EndpointReadings struct {
	// reads made so far, from the first that succeeded on: a replica that counts
	// as ready may still be about to open its ports.
	Reads int64 `json:"reads"`
	// failed counts the reads that got no answer within 10 s, or an answer other than a
	// success.
	Failed int64 `json:"failed"`
	// failure says what was wrong with the last read that failed, counted or not.
	// +optional
	Failure string `json:"failure,omitempty"`
	// code of the last answer; 0 if there was none.
	Code int32 `json:"code"`
	// contentType of the last answer.
	// +optional
	ContentType string `json:"contentType,omitempty"`
	// prometheus is true if the last answer is in Prometheus' text format.
	Prometheus bool `json:"prometheus"`
	// notPrometheus says what is wrong with the format of the last answer.
	// +optional
	NotPrometheus string `json:"notPrometheus,omitempty"`
	// series in the last answer: one for each metric and set of labels.
	// +optional
	Series int64 `json:"series,omitempty"`
	// grown names the metrics that have more series than at the first reading, and how many
	// more, as in "requests_total (+60)". Those with the most come first, five at most.
	// +optional
	// +listType=atomic
	Grown []string `json:"grown,omitempty"`
	// samples are the values of those metrics asked for that exist, summed over their
	// labels and rounded down. For a histogram or a summary it is the number of its
	// observations.
	// +optional
	Samples map[string]int64 `json:"samples,omitempty"`
	// increased names the metrics that have ever been higher than at the first reading. A
	// metric that was missing there counts as 0.
	// +optional
	// +listType=set
	Increased []string `json:"increased,omitempty"`
	// gauges are the values of the gauges that may count objects, if they are asked for: the sum
	// over their labels, rounded down. Gauges of the Go runtime, of the process and of the usual
	// libraries are left out, and so are those whose name says that they count nothing: it ends
	// with a unit or with total, or tells of a cache, a generation or a version.
	// +optional
	Gauges map[string]int64 `json:"gauges,omitempty"`
}

// LogReadings are what was found in a log.
type LogReadings struct {
	// lines read so far.
	Lines int64 `json:"lines"`
	// structured are those that are a JSON object, or have fields as key=value.
	Structured int64 `json:"structured"`
	// complete are the structured lines that tell of the failure: the object's
	// namespace, its name and the error each stand in a field other than the free text
	// of the message.
	Complete int64 `json:"complete"`
	// incomplete are the other lines that hold the error's text.
	Incomplete int64 `json:"incomplete"`
	// examples of both, the first five of each.
	// +optional
	Examples []LogLine `json:"examples,omitempty"`
}

// LogLine is a line of a log that holds the text of an error.
type LogLine struct {
	// line, cut short.
	Line string `json:"line"`
	// format of the line: JSON, KeyValue or Text.
	Format string `json:"format"`
	// missing says which of namespace, name and error stand in no field.
	// +optional
	Missing []string `json:"missing,omitempty"`
}

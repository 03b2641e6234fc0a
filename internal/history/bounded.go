package history

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/internal/harmless"
)

// What stands in the file at most: of a path with its query, in bytes; of any other text;
// and of a list. All that the API allows for a name is shorter.
const (
	mostPath = 4 << 10
	mostText = 1 << 10
	mostList = 100
)

// bounded is a request as it stands in the file. What a subject sends can be as long as it
// likes.
func (r Request) bounded() Request {
	for _, text := range []*string{
		&r.Verb, &r.Method, &r.Group, &r.Version, &r.Resource, &r.Subresource, &r.Namespace, &r.Name,
		&r.Reason, &r.Message, &r.Holder, &r.EventReason, &r.Note,
	} {
		*text = fit(*text, mostText)
	}
	r.Path = fit(r.Path, mostPath)
	r.StatusFields, r.Finalizers = boundedTexts(r.StatusFields), boundedTexts(r.Finalizers)
	r.Changed = boundedTexts(r.Changed)
	r.Owners = slices.Clone(r.Owners)
	for n := range r.Owners {
		r.Owners[n].Name, r.Owners[n].Kind = fit(r.Owners[n].Name, mostText), fit(r.Owners[n].Kind, mostText)
	}
	if more := len(r.Owners) - mostList; more > 0 {
		r.Owners = append(r.Owners[:mostList], Owner{Name: leftOut(more)})
	}
	return r
}

// fit is a text without secrets: the file is handed on.
func fit(text string, most int) string { return harmless.Cut(harmless.Secrets(text), most) }

func boundedTexts(texts []string) []string {
	var kept []string
	for _, text := range texts[:min(len(texts), mostList)] {
		kept = append(kept, fit(text, mostText))
	}
	if more := len(texts) - mostList; more > 0 {
		kept = append(kept, leftOut(more))
	}
	return kept
}

func leftOut(count int) string { return fmt.Sprintf("… (%d left out) …", count) }

// bounded is an event as it stands in the file.
func (e Event) bounded() Event {
	e.Object, e.Message = fit(e.Object, mostText), fit(e.Message, mostText)
	return e
}

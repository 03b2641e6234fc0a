package history

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/internal/record/sanitize"
)

// Limits of what is written to the file: of a path with its query, and of any other
// text, in characters; and of a list. All names that the API allows are shorter.
const (
	mostPath = 4 << 10
	mostText = 1 << 10
	mostList = 100
)

// bounded returns a request as it is written to the file. What a subject sends can be of
// any length.
func (r Request) bounded() Request {
	for _, text := range []*string{
		&r.Verb, &r.Method, &r.Group, &r.Version, &r.Resource, &r.Subresource, &r.Namespace, &r.Name, &r.GenerateName, &r.ResourceVersion,
		&r.Reason, &r.Message, &r.Holder, &r.EventReason, &r.Note,
	} {
		*text = fit(*text, mostText)
	}
	r.Path = fit(r.Path, mostPath)
	r.StatusFields, r.Finalizers = boundedTexts(r.StatusFields), boundedTexts(r.Finalizers)
	r.Changed = boundedTexts(r.Changed)
	r.Values = slices.Clone(r.Values[:min(len(r.Values), mostList)])
	for n := range r.Values {
		c := &r.Values[n]
		c.Path, c.Was, c.Is = fit(c.Path, mostText), fit(c.Was, mostValue), fit(c.Is, mostValue)
	}
	r.Owners = slices.Clone(r.Owners)
	for n := range r.Owners {
		o := &r.Owners[n]
		o.Name, o.Kind, o.APIVersion = fit(o.Name, mostText), fit(o.Kind, mostText), fit(o.APIVersion, mostText)
	}
	if more := len(r.Owners) - mostList; more > 0 {
		r.Owners = append(r.Owners[:mostList], Owner{Name: leftOut(more)})
	}
	return r
}

// fit returns a short text without secrets, because the file is given to others.
func fit(text string, most int) string { return sanitize.Cut(sanitize.Secrets(text), most) }

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

// bounded returns an event as it is written to the file.
func (e Event) bounded() Event {
	e.Object, e.Message = fit(e.Object, mostText), fit(e.Message, mostText)
	return e
}

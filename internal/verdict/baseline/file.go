package baseline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// mostFile limits the size of a file, in bytes. Files of people are much smaller.
const mostFile = 1 << 20

// Read reads a file of known failures. The error lists everything that is wrong with the
// file, as [strictyaml.Problems]. ids are the IDs of all requirements.
func Read(path string, ids []string) ([]v1alpha1.KnownFailure, error) {
	data, err := strictyaml.ReadRegular(path, mostFile)
	if err != nil {
		return nil, fmt.Errorf("reading the known failures in %s: %w", path, err)
	}
	return Parse(path, data, ids)
}

// Parse is like Read, for the content of a file.
func Parse(path string, data []byte, ids []string) ([]v1alpha1.KnownFailure, error) {
	d, problems := strictyaml.Parse(path, v1alpha1.KindKnownFailures, data)
	if len(problems) > 0 {
		return nil, problems.Err()
	}
	if problems := d.CheckKind(v1alpha1.GroupVersion.String(), v1alpha1.KindKnownFailures); len(problems) > 0 {
		return nil, problems
	}
	r := &reader{document: d, ids: ids, first: map[string]int{}}
	return r.failures(), r.problems.Err()
}

// reader reads one file.
type reader struct {
	document *strictyaml.Document
	ids      []string
	first    map[string]int // index of the entry, by ID
	problems strictyaml.Problems
}

func (r *reader) add(field, format string, args ...any) {
	r.problems = append(r.problems, r.document.Problem(field, format, args...))
}

func (r *reader) failures() []v1alpha1.KnownFailure {
	r.checkKeys("", r.document.Object, "apiVersion", "kind", "failures")
	list, ok := r.document.Object["failures"].([]any)
	if !ok {
		r.add("failures", "is required: a list of id, reason, owner and expires")
		return nil
	}
	var failures []v1alpha1.KnownFailure
	for i, item := range list {
		at := fmt.Sprintf("failures[%d]", i)
		entry, ok := item.(map[string]any)
		if !ok {
			r.add(at, "must have id, reason, owner and expires")
			continue
		}
		r.checkKeys(at+".", entry, "id", "reason", "owner", "expires")
		failures = append(failures, v1alpha1.KnownFailure{
			ID: r.spelling(r.text(at, entry, "id")), Reason: r.text(at, entry, "reason"),
			Owner: r.text(at, entry, "owner"), Expires: r.text(at, entry, "expires"),
		})
		r.checkMeaning(i, failures[len(failures)-1])
	}
	return failures
}

func (r *reader) checkKeys(at string, object map[string]any, allowed ...string) {
	for key := range object {
		if !slices.Contains(allowed, key) {
			r.add(at+key, "unknown field %q; allowed here: %s", key, strings.Join(allowed, ", "))
		}
	}
}

// text returns the text of a required field.
func (r *reader) text(at string, entry map[string]any, field string) string {
	text, ok := entry[field].(string)
	if !ok || strings.TrimSpace(text) == "" {
		r.add(at+"."+field, "is required, and must be a text")
		return ""
	}
	return text
}

// spelling returns an ID as reports write it. In a file it may be in any case.
func (r *reader) spelling(id string) string {
	if n := slices.IndexFunc(r.ids, func(known string) bool { return strings.EqualFold(known, id) }); n >= 0 {
		return r.ids[n]
	}
	if hash, ok := strings.CutPrefix(strings.ToLower(id), "ex-"); ok && isCause("EX-"+hash) {
		return "EX-" + hash
	}
	return id
}

func (r *reader) checkMeaning(n int, f v1alpha1.KnownFailure) {
	at := fmt.Sprintf("failures[%d]", n)
	if first, twice := r.first[f.ID]; twice && f.ID != "" {
		r.add(at+".id", "%s stands there twice: failures[%d] is about it too", f.ID, first)
	} else {
		r.first[f.ID] = n
	}
	if f.ID != "" && !slices.Contains(r.ids, f.ID) && !isCause(f.ID) {
		r.add(at+".id", "no requirement is called %q (reconform list names them), and it is not the ID of a divergence, as in EX-0123abcd", f.ID)
	}
	if _, err := time.Parse(time.DateOnly, f.Expires); f.Expires != "" && err != nil {
		r.add(at+".expires", "%q is not a valid date: write it as 2027-01-31", f.Expires)
	}
}

package infer

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/metrics"
)

// grown is what happened to a series while writes were refused.
type grown struct {
	metrics.Series
	by float64
	// calm is true if it did not grow while nothing failed.
	calm bool
}

const (
	mostErrorSeries = 10
	longestSeries   = 300
	// mostOffered is how many series are offered in one question.
	mostOffered = 3
)

var (
	inASeries = regexp.MustCompile(`^[^"\\\n]*$`)
	// ofErrors matches names and labels that speak of errors, unlike "interrupted".
	ofErrors = regexp.MustCompile(`(?i)(?:^|[^a-z])err|error|fail`)
)

// read reads a page of metrics, without its last line if that is cut off. If it cannot be
// read, the result has no series.
func (p Page) read() *metrics.Page {
	page, _ := metrics.Parse(p.Body[:strings.LastIndex(p.Body, "\n")+1])
	return page
}

// key tells two series apart.
func key(s metrics.Series) string { return fmt.Sprint(s.Name, s.Labels) }

// between returns how much each series of the later page has grown since the earlier one. A
// counter with labels shows only after it was used, so what is new has grown from 0.
func between(earlier, later Page) map[string]float64 {
	by := map[string]float64{}
	for _, s := range later.read().Counters() {
		by[key(s)] = s.Value
	}
	for _, s := range earlier.read().Counters() {
		by[key(s)] -= s.Value
	}
	return by
}

// whileRefused returns the controller's own counters on a page of metrics, and how much each grew
// while the creation of a child was refused. It returns false if that was not seen.
func (r *Record) whileRefused(page Page) ([]grown, bool) {
	before, ok := pageLike(page, r.Hindering)
	after, alsoAfter := pageLike(page, r.Hindered)
	if !ok || !alsoAfter {
		return nil, false
	}
	by, calm := between(before, after), map[string]float64{}
	if first, ok := pageLike(page, r.Before); ok {
		calm = between(first, page)
	}
	var all []grown
	for _, s := range after.read().Counters() {
		if !metrics.OfLibrary(s.Name) {
			all = append(all, grown{s, by[key(s)], calm[key(s)] == 0})
		}
	}
	return all, true
}

// pageLike returns the page of the same port and path that was answered with the same status code.
func pageLike(page Page, among []Page) (Page, bool) {
	n := slices.IndexFunc(among, func(p Page) bool { return p.Port == page.Port && p.Path == page.Path && p.Code == page.Code })
	if n < 0 {
		return Page{}, false
	}
	return among[n], true
}

// findErrorSeries finds the counters that go up with each write that fails, besides the one
// that the profile names already. By their names or labels they count errors, or they grew
// only while the creation of a child was refused.
func (f *finder) findErrorSeries(page Page) {
	all, ok := f.whileRefused(page)
	failed := f.failedAttempts()
	if !ok || len(failed) == 0 {
		return
	}
	var named, only, still []string
	add := func(list []string, name string) []string {
		if name == "" || slices.Contains(list, name) {
			return list
		}
		return append(list, name)
	}
	taken := string(f.Spec.Claims.Metrics.Errors)
	for _, g := range all {
		said, speaks := f.seriesOf(g.Series)
		switch {
		case g.Name == taken:
		case speaks && 2*g.by >= float64(len(failed)):
			named = add(named, said)
		case speaks && g.by == 0 && aboutWork.MatchString(g.Name):
			still = add(still, said)
		case g.by > 0 && g.calm:
			only = add(only, said)
		}
	}
	still = slices.DeleteFunc(still, func(name string) bool { return slices.Contains(named, name) })
	if named = named[:min(len(named), mostErrorSeries)]; len(named) > 0 {
		for _, name := range named {
			f.Spec.Claims.Metrics.ErrorSeries = append(f.Spec.Claims.Metrics.ErrorSeries, v1alpha1.MetricSeries(name))
		}
		f.note("claims.metrics.errorSeries", Seen, "they went up while the creation of its %s was refused", f.workload.Kind)
	}
	f.offerSeries(only, "went up while the creation of its %s was refused, and not before: do they count each reconcile that fails?", f.workload.Kind)
	f.offerSeries(still, "stood still while the creation of its %s was refused %s: do they count each reconcile that fails? OB-001 judges those that the profile names",
		f.workload.Kind, times(len(failed)))
}

// offerSeries asks about series that may count errors.
func (f *finder) offerSeries(names []string, question string, args ...any) {
	if len(names) == 0 {
		return
	}
	names = names[:min(len(names), mostOffered)]
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, "'"+strings.ReplaceAll(name, "'", "''")+"'")
	}
	f.offer("claims.metrics.errorSeries", []string{"errorSeries: [" + strings.Join(quoted, ", ") + "]"}, "%s "+question, append([]any{strings.Join(names, ", ")}, args...)...)
}

// times returns how often something happened, in words.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// seriesOf returns a series as a profile names it, and whether it speaks of failures. If its
// name does, no label is needed. If labels do, only these are needed. Otherwise all are, except
// those that name an object of the look. The result is empty if a profile cannot name it so.
func (f *finder) seriesOf(s metrics.Series) (name string, speaks bool) {
	ofFailures, others := map[string]string{}, map[string]string{}
	for _, l := range s.Labels {
		switch {
		case ofErrors.MatchString(l.Value):
			ofFailures[l.Name] = l.Value
		case !f.isOfTheLook(l.Value):
			others[l.Name] = l.Value
		}
	}
	kept := others
	switch byName := ofErrors.MatchString(s.Name); {
	case byName:
		kept, speaks = nil, true
	case len(ofFailures) > 0:
		kept, speaks = ofFailures, true
	}
	var pairs []string
	for _, label := range slices.Sorted(maps.Keys(kept)) {
		if !inASeries.MatchString(kept[label]) {
			return "", false
		}
		pairs = append(pairs, label+`="`+kept[label]+`"`)
	}
	name = s.Name
	if len(pairs) > 0 {
		name += "{" + strings.Join(pairs, ",") + "}"
	}
	if utf8.RuneCountInString(name) > longestSeries {
		return "", false
	}
	return name, speaks
}

// isOfTheLook tells whether a text names an object that was made for the look, or its
// namespace.
func (f *finder) isOfTheLook(text string) bool {
	return strings.Contains(text, "-look") || slices.ContainsFunc(f.Acts, func(a Act) bool { return a.Object != "" && text == a.Object })
}

// doubtErrors says that the counter of errors stood still while writes failed.
func (f *finder) doubtErrors(page Page) {
	before, ok := pageLike(page, f.Hindering)
	after, alsoAfter := pageLike(page, f.Hindered)
	failed := f.failedAttempts()
	if !ok || !alsoAfter || len(failed) == 0 {
		return
	}
	name, kind := cmp.Or(string(f.Spec.Claims.Metrics.Errors), usualErrors), ""
	if name == usualErrors {
		kind = f.Kind
	}
	if !slices.Equal(samples(before.read(), name, kind), samples(after.read(), name, kind)) {
		return
	}
	f.Spec.Claims.Metrics.Errors = v1alpha1.MetricName(name) // the doubt stands there
	f.Doubts = append(f.Doubts, Doubt{
		Path: "claims.metrics",
		Text: fmt.Sprintf("the creation of its %s was refused %s, and %s did not go up: an alert that asks for it stays silent. OB-001 judges that, as metrics is claimed. "+
			"If another metric counts the errors, write it: metrics: {errors: my_errors_total}. If none does, leave metrics out of the features", f.workload.Kind, times(len(failed)), name),
		Claimed: fmt.Sprintf("the creation of its %s was refused %s, and %s did not go up. OB-001 judges that, if the feature metrics is claimed", f.workload.Kind, times(len(failed)), name),
	})
}

package infer

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// series is one series of a metric on a page, and its value.
type series struct {
	name   string
	labels []label
	value  float64
}

type label struct{ name, value string }

// key tells two series apart.
func (s series) key() string { return fmt.Sprint(s.name, s.labels) }

// grown is what happened to a series while writes were refused.
type grown struct {
	series
	by float64
	// calm is true if it did not grow while nothing failed.
	calm bool
}

const (
	mostErrorSeries = 10
	// mostOffered is how many series are offered in one question.
	mostOffered = 3
)

var (
	sample   = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$`)
	ofSample = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"`)
	// ofLibrary matches the metrics that a program has from elsewhere: of their counters the
	// other fields of claims.metrics speak, or none.
	ofLibrary = regexp.MustCompile(`^(?:go|process|promhttp|workqueue|controller_runtime|rest_client|leader_election|certwatcher|http|nodejs|jvm|python|net)_`)
	inASeries = regexp.MustCompile(`^[^"\\]*$`)
	// ofErrors matches names and labels that speak of errors, unlike "interrupted".
	ofErrors = regexp.MustCompile(`(?i)(?:^|[^a-z])err|error|fail`)
)

// counters returns the series of the counters on a page.
func counters(page string) (all []series) {
	kind := map[string]string{}
	for line := range strings.SplitSeq(page, "\n") {
		if words := strings.Fields(line); len(words) == 4 && words[1] == "TYPE" {
			kind[words[2]] = words[3]
		}
		m := sample.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || kind[m[1]] != "counter" && kind[strings.TrimSuffix(m[1], "_total")] != "counter" { // the second as OpenMetrics writes it
			continue
		}
		value, err := strconv.ParseFloat(m[3], 64)
		if err != nil {
			continue
		}
		one := series{name: m[1], value: value}
		for _, pair := range ofSample.FindAllStringSubmatch(m[2], -1) {
			one.labels = append(one.labels, label{pair[1], pair[2]})
		}
		all = append(all, one)
	}
	return all
}

// between returns how much each series of the later page has grown since the earlier one. A
// counter with labels shows only after it was used, so what is new has grown from 0.
func between(earlier, later string) map[string]float64 {
	by := map[string]float64{}
	for _, s := range counters(later) {
		by[s.key()] = s.value
	}
	for _, s := range counters(earlier) {
		by[s.key()] -= s.value
	}
	return by
}

// whileRefused returns the counters of the controller's own on a page of metrics, and how much
// each grew while the creation of a child was refused. It returns false if that was not seen.
func (r *Record) whileRefused(page Page) ([]grown, bool) {
	before, ok := pageLike(page, r.Hindering)
	after, alsoAfter := pageLike(page, r.Hindered)
	if !ok || !alsoAfter {
		return nil, false
	}
	by, calm := between(before.Body, after.Body), map[string]float64{}
	if first, ok := pageLike(page, r.Before); ok {
		calm = between(first.Body, page.Body)
	}
	var all []grown
	for _, s := range counters(after.Body) {
		if !ofLibrary.MatchString(s.name) {
			all = append(all, grown{s, by[s.key()], calm[s.key()] == 0})
		}
	}
	return all, true
}

// pageLike returns the page of the same port and path, if it was answered.
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
		said, speaks := f.seriesOf(g.series)
		switch {
		case g.name == taken:
		case speaks && 2*g.by >= float64(len(failed)):
			named = add(named, said)
		case speaks && g.by == 0 && aboutWork.MatchString(g.name):
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
	f.offer("claims.metrics.errorSeries", []string{"errorSeries: ['" + strings.Join(names, "', '") + "']"}, "%s "+question, append([]any{strings.Join(names, ", ")}, args...)...)
}

// times returns how often something happened, in words.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// seriesOf returns a series as a profile names it, and whether its name or a label of it
// speaks of failures. Only the labels that speak of failures are needed then. Labels that name
// an object of the look are left out. The name is empty if a profile cannot have it.
func (f *finder) seriesOf(s series) (name string, speaks bool) {
	kept := map[string]string{}
	byName := ofErrors.MatchString(s.name)
	for _, l := range s.labels {
		if ofErrors.MatchString(l.value) {
			speaks = true
			kept[l.name] = l.value
		}
	}
	if !byName && !speaks {
		for _, l := range s.labels {
			if !f.isOfTheLook(l.value) {
				kept[l.name] = l.value
			}
		}
	} else if byName {
		kept = nil
	}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(kept)) {
		if !inASeries.MatchString(kept[key]) {
			return "", false
		}
		pairs = append(pairs, fmt.Sprintf("%s=%q", key, kept[key]))
	}
	name = s.name
	if len(pairs) > 0 {
		name += "{" + strings.Join(pairs, ",") + "}"
	}
	return name, byName || speaks
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
	if !slices.Equal(samples(before.Body, name, kind), samples(after.Body, name, kind)) {
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

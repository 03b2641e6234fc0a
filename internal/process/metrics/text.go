package metrics

import "strings"

// text is the text of a page, line by line.
type text struct {
	// classic is the page in Prometheus' text format, if it was in that of OpenMetrics.
	classic string
	types   map[string]string   // by the name of the metric
	samples map[string][]string // lines by the name of the sample
}

// typeLine begins a line that declares the type of a metric.
const typeLine = "# TYPE "

// readText reads the lines of a page. In OpenMetrics a counter is declared as name, and its
// samples are called name_total. In Prometheus' format both have the same name. So the
// declaration is changed.
func readText(page string) text {
	open := strings.HasSuffix(strings.TrimRight(page, " \t\r\n"), "# EOF")
	lines := strings.SplitAfter(page, "\n")
	read := text{types: map[string]string{}, samples: map[string][]string{}}
	for n, line := range lines {
		name, rest := nameOf(line)
		if name == "" {
			continue
		}
		read.samples[name] = append(read.samples[name], strings.TrimRight(line, "\r\n"))
		if open {
			lines[n] = withoutExtras(name, rest)
		}
	}
	declared := map[string]bool{}
	for _, line := range lines {
		if name, _, ok := typeOf(line); ok {
			declared[name] = true
		}
	}
	for n, line := range lines {
		name, kind, ok := typeOf(line)
		if !ok {
			continue
		}
		total := name + "_total"
		if kind == "counter" && len(read.samples[name]) == 0 && len(read.samples[total]) > 0 && !declared[total] {
			name = total
			lines[n] = typeLine + name + " " + kind + "\n"
		}
		if classic := map[string]string{"unknown": "untyped", "info": "gauge", "stateset": "gauge"}[kind]; open && classic != "" {
			lines[n] = typeLine + name + " " + classic + "\n"
		}
		read.types[name] = kind
	}
	read.classic = strings.Join(lines, "")
	return read
}

// typeOf returns what a line declares.
func typeOf(line string) (name, kind string, ok bool) {
	words := strings.Fields(line)
	if len(words) != 4 || words[0] != "#" || words[1] != "TYPE" {
		return "", "", false
	}
	return words[2], words[3], true
}

// nameOf returns the name of the sample on a line, and what follows it. The name is empty on
// any other line.
func nameOf(line string) (name, rest string) {
	line = strings.TrimLeft(line, " \t")
	end := strings.IndexAny(line, "{ \t")
	if end <= 0 || line[0] == '#' {
		return "", ""
	}
	return line[:end], line[end:]
}

// withoutExtras returns a sample of OpenMetrics without what Prometheus' format does not
// have: an exemplar, and a time with fractions of a second. rest are the labels and what
// follows them.
func withoutExtras(name, rest string) string {
	labels, after := "", rest
	if strings.HasPrefix(rest, "{") {
		end := endOfLabels(rest)
		if end < 0 {
			return name + rest
		}
		labels, after = rest[:end], rest[end:]
	}
	value := strings.Fields(after)
	if len(value) < 2 {
		return name + rest
	}
	return name + labels + " " + value[0] + "\n"
}

// endOfLabels returns the place after the bracket that ends the labels, or -1. A value may
// have such a bracket, too.
func endOfLabels(labels string) int {
	quoted := false
	for n := 0; n < len(labels); n++ {
		switch c := labels[n]; {
		case quoted && c == '\\':
			n++
		case c == '"':
			quoted = !quoted
		case c == '}' && !quoted:
			return n + 1
		}
	}
	return -1
}

package logline

import (
	"fmt"
	"regexp"
	"strings"
)

const (
	// mostBrief is how many lines of a log a terminal shows, apart from heads and notes.
	mostBrief = 8
	// lastWords is how many of them are the last ones of the log, whatever these tell.
	lastWords = 3
)

// telling matches a line that tells of a failure.
var telling = regexp.MustCompile(`(?i)\b(error|err|fail\w*|panic\w*|fatal|refused|denied|forbidden|conflict\w*|invalid|timed? ?out|timeout|cannot|could not|unable|retry\w*|lost)\b`)

// InBrief returns the lines of a log, in words, that tell of a failure, and the last ones. If
// there are many, it ends with how many lines it leaves out.
func InBrief(lines []string) []string {
	all := InWords(lines)
	kept, room := make([]bool, len(all)), mostBrief
	keep := func(n int) {
		if room > 0 && !kept[n] && !isHead(all[n]) {
			kept[n] = true
			room--
		}
	}
	for n := max(0, len(all)-lastWords); n < len(all); n++ {
		keep(n)
	}
	for n := len(all) - 1; n >= 0; n-- {
		if telling.MatchString(all[n]) {
			keep(n)
		}
	}
	for n := len(all) - 1; n >= 0; n-- {
		keep(n)
	}
	var brief []string
	head, left := "", 0
	for n, line := range all {
		switch {
		case isHead(line):
			head = line
		case !kept[n]:
			left++
		default:
			if head != "" {
				brief = append(brief, head)
				head = ""
			}
			brief = append(brief, line)
		}
	}
	if left > 0 {
		brief = append(brief, fmt.Sprintf("… (%d other lines are in the report)", left))
	}
	return brief
}

const headBegin, headEnd = "==> ", " <=="

// Head returns a line that names the log whose lines come after it.
func Head(file string) string { return headBegin + file + headEnd }

func isHead(line string) bool {
	return strings.HasPrefix(line, headBegin) && strings.HasSuffix(line, headEnd)
}

package page

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The ways in which logs write the time of a line: RFC 3339 or a similar form near the
// beginning; the form of klog, without a year; and the form of Go's package log.
var (
	iso  = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?`)
	klog = regexp.MustCompile(`^[IWEF](\d{4} \d\d:\d\d:\d\d\.\d+)`)
	std  = regexp.MustCompile(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)?`)
)

// mostBefore limits where the time may begin in a line that is not structured.
const mostBefore = 64

// momentOf returns the time of a line. If the time has no zone, it is taken as UTC or as
// local time, whichever is nearer to the time beside.
func momentOf(line string, beside time.Time) (at time.Time, found bool) {
	if strings.HasPrefix(line, "{") {
		return structuredMoment(line, beside)
	}
	if m := klog.FindStringSubmatch(line); m != nil {
		return nearestYear(m[1], beside)
	}
	if m := std.FindString(line); m != "" {
		return nearest("2006/01/02 15:04:05.999999999", m, beside)
	}
	return isoMoment(line[:min(len(line), mostBefore)], beside)
}

// withoutMoment returns a line without the time at its beginning.
func withoutMoment(line string) string {
	for _, form := range []*regexp.Regexp{iso, std} {
		if at := form.FindStringIndex(line); at != nil && at[0] == 0 {
			return strings.TrimSpace(line[at[1]:])
		}
	}
	return line
}

// structuredMoment returns the time of a JSON line, from the field that zap, slog or
// logrus writes.
func structuredMoment(line string, beside time.Time) (time.Time, bool) {
	var fields struct {
		TS, Time, Timestamp any
	}
	if json.Unmarshal([]byte(line), &fields) != nil {
		return time.Time{}, false
	}
	for _, value := range []any{fields.TS, fields.Time, fields.Timestamp} {
		switch value := value.(type) {
		case string:
			return isoMoment(value, beside)
		case float64:
			for value > 1e11 { // milliseconds, or a smaller unit
				value /= 1000
			}
			seconds, rest := math.Modf(value)
			return time.Unix(int64(seconds), int64(rest*1e9)), true
		}
	}
	return time.Time{}, false
}

func isoMoment(text string, beside time.Time) (time.Time, bool) {
	m := strings.Replace(strings.Replace(iso.FindString(text), " ", "T", 1), ",", ".", 1)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700"} {
		if at, err := time.Parse(layout, m); err == nil {
			return at, true
		}
	}
	return nearest("2006-01-02T15:04:05.999999999", m, beside)
}

// nearestYear returns what a time of klog, which has no year, can mean: around the turn of a year
// it may be of another one than the time beside.
func nearestYear(text string, beside time.Time) (best time.Time, found bool) {
	for year := beside.UTC().Year() - 1; year <= beside.UTC().Year()+1; year++ {
		at, ok := nearest("2006 0102 15:04:05.999999999", strconv.Itoa(year)+" "+text, beside)
		if ok && (!found || at.Sub(beside).Abs() < best.Sub(beside).Abs()) {
			best, found = at, true
		}
	}
	return best, found
}

// nearest returns what a time without a zone can mean: of the possible times, the one that
// is nearest to the time beside.
func nearest(layout, text string, beside time.Time) (best time.Time, found bool) {
	for _, zone := range []*time.Location{time.UTC, time.Local} {
		at, err := time.ParseInLocation(layout, text, zone)
		if err != nil {
			continue
		}
		if !found || at.Sub(beside).Abs() < best.Sub(beside).Abs() {
			best, found = at, true
		}
	}
	return best, found
}

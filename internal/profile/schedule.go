package profile

import (
	"slices"
	"strings"
	"time"
)

// IsSchedule tells whether a text is a schedule of cron.
func IsSchedule(text string) bool {
	const minuteToWeekday = 5 // fields
	fields := strings.Fields(text)
	if len(fields) > 0 && slices.Contains([]string{"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@every"}, fields[0]) {
		return true
	}
	return len(fields) == minuteToWeekday &&
		!slices.ContainsFunc(fields, func(field string) bool { return strings.Trim(field, "0123456789*/,-?") != "" })
}

// DueOften tells whether a text is a schedule that comes due at least once an hour, so that
// it may do so while a scenario runs.
func DueOften(text string) bool {
	if !IsSchedule(text) {
		return false
	}
	fields := strings.Fields(text)
	switch {
	case fields[0] == "@every" && len(fields) > 1:
		every, err := time.ParseDuration(fields[1])
		return err == nil && every <= time.Hour
	case strings.HasPrefix(fields[0], "@"):
		return fields[0] == "@hourly"
	}
	return strings.ContainsAny(fields[0]+fields[1], "*/,-?")
}

// DueOften returns a schedule of the sample that comes due at least once an hour, or "".
// What the controller writes then is no write at rest.
func (s Served) DueOften() (schedule string) {
	AnyText(s.object["spec"], func(text string) bool {
		if DueOften(text) {
			schedule = text
		}
		return schedule != ""
	})
	return schedule
}

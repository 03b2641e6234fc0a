package profile

import (
	"errors"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// often is the longest time between two turns of a schedule that comes due so often that it may
// do so while a scenario runs.
const often = time.Hour

// looked is how many turns of a schedule are looked at. A schedule may have its turns close
// together, and then none for a long time.
const looked = 30

// IsSchedule tells whether a text is a schedule of cron, perhaps with a time zone, or with seconds.
func IsSchedule(text string) bool {
	_, err := schedule(text)
	return err == nil
}

// schedule reads a schedule of cron.
func schedule(text string) (cron.Schedule, error) {
	fields := strings.Fields(text)
	if len(fields) == 0 || len(fields) == 1 && !strings.HasPrefix(fields[0], "@") {
		return nil, errors.New("too few fields") // on a time zone alone the parser panics
	}
	parser := cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)
	return parser.Parse(strings.Join(fields, " "))
}

// DueOften tells whether a text is a schedule that comes due at least once an hour, for a while at
// least, so that it may do so while a scenario runs.
func DueOften(text string) bool {
	due, err := schedule(text)
	if err != nil {
		return false
	}
	turn := due.Next(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC))
	for range looked {
		next := due.Next(turn)
		if turn.IsZero() || next.IsZero() {
			return false // it never comes due
		}
		if next.Sub(turn) <= often {
			return true
		}
		turn = next
	}
	return false
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

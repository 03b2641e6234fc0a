package profile

import "testing"

func TestSchedules(t *testing.T) {
	for text, want := range map[string]struct{ is, often bool }{
		"* * * * *":                   {true, true},
		"*/10 * * * *":                {true, true},
		"30 * * * *":                  {true, true},
		"0 9-17 * * MON-FRI":          {true, true},
		"0,30 4 * * *":                {true, true},
		"*/30 * * * * *":              {true, true}, // with seconds
		"TZ=Europe/Berlin 15 * * * *": {true, true},
		"  @every   1m ":              {true, true},
		"@hourly":                     {true, true},
		"@every 2h":                   {true, false},
		"@daily":                      {true, false},
		"0 0 * * *":                   {true, false},
		"0 */6 * * *":                 {true, false},
		"15 3 * jan-mar sun":          {true, false},
		"1 0 1 1 *":                   {true, false},
		"0 0 31 2 *":                  {true, false}, // never
		"TZ=UTC":                      {},
		"TZ=":                         {},
		"@often":                      {},
		"@every":                      {},
		"daily":                       {},
		"60 * * * *":                  {},
		"not a schedule at all":       {},
		"":                            {},
	} {
		if is, often := IsSchedule(text), DueOften(text); is != want.is || often != want.often {
			t.Errorf("%q: a schedule: %t, due often: %t, want %t and %t", text, is, often, want.is, want.often)
		}
	}
}

func FuzzDueOften(f *testing.F) {
	for _, text := range []string{"* * * * *", "TZ=UTC 1 2 * * *", "CRON_TZ=", "@every -1h", "1-0 * * * *"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if DueOften(text) && !IsSchedule(text) {
			t.Errorf("%q is due often, and no schedule", text)
		}
	})
}

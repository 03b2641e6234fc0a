package page

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// schemes are the colours of the style sheet, by name: those of the light scheme, and of
// the dark one.
func schemes(t *testing.T) map[string]map[string]string {
	t.Helper()
	property := regexp.MustCompile(`--([a-z0-9-]+): (#[0-9a-f]{6})`)
	light, rest, found := strings.Cut(pageCSS, "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("the style sheet has no dark scheme")
	}
	dark, _, _ := strings.Cut(rest, "* { box-sizing")
	all := map[string]map[string]string{}
	for scheme, text := range map[string]string{"light": light, "dark": dark} {
		all[scheme] = map[string]string{}
		for _, m := range property.FindAllStringSubmatch(text, -1) {
			all[scheme][m[1]] = m[2]
		}
	}
	return all
}

// TestContrast: the contrast of text is at least 4.5 to 1, as WCAG 2 AA requires, and
// that of drawings 3 to 1.
func TestContrast(t *testing.T) {
	type row struct {
		on    string
		least float64
		names string
	}
	for scheme, colours := range schemes(t) {
		for _, r := range []row{
			{"bg", 4.5, "text muted link passed failed flaky unsure blocked idle skipped"},
			{"surface", 4.5, "text muted link passed failed flaky unsure blocked idle skipped"},
			{"sunken", 4.5, "text muted link passed failed"},
			{"lane", 4.5, "text muted"},
			{"failed-soft", 4.5, "text failed flaky"},
			{"passed-soft", 4.5, "passed"},
			{"unsure-soft", 4.5, "text unsure"},
			{"blocked-soft", 4.5, "text blocked"},
			{"given", 4.5, "text"},
			{"when", 4.5, "text"},
			{"then", 4.5, "text"},
			{"life", 4.5, "text"},
			{"holder0", 4.5, "text"},
			{"holder1", 4.5, "text"},
			{"fault", 4.5, "text"},
			{"surface", 3, "write read failed unsure focus strong"},
			{"lane", 3, "write read failed unsure"},
			{"bg", 3, "focus strong"},
		} {
			for _, name := range strings.Fields(r.names) {
				back, front := colours[r.on], colours[name]
				if back == "" || front == "" {
					t.Fatalf("%s: no colour %s or %s", scheme, name, r.on)
				}
				if ratio := contrast(t, front, back); ratio < r.least {
					t.Errorf("%s: %s on %s has %.2f to 1, want %.1f", scheme, name, r.on, ratio, r.least)
				}
			}
		}
	}
	if len(schemes(t)["light"]) != len(schemes(t)["dark"]) {
		t.Error("a colour is in one scheme alone")
	}
}

// contrast of two colours, as WCAG defines it.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	first, second := luminance(t, a), luminance(t, b)
	return (max(first, second) + 0.05) / (min(first, second) + 0.05)
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	sum := 0.0
	for n, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, err := strconv.ParseUint(colour[1+2*n:3+2*n], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		part := float64(value) / 255
		if part <= 0.04045 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}

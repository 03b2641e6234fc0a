package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"reconform.dev/reconform/cmd/internal/marked"
)

// begin is the line before what is generated in performance.md.
const begin = "<!-- The tables are made by: make bench-scale -->\n"

// tables returns one table for each size, in Markdown. A ratio compares with the first
// controller.
func tables(all []result) string {
	var text strings.Builder
	for i, size := range sizes(all) {
		if i > 0 {
			text.WriteString("\n")
		}
		fmt.Fprintf(&text, "### %d objects\n\n", size)
		text.WriteString("| controller | all served after | requests for each | KB for each | CPU for each | memory | a restart | a change |\n")
		text.WriteString("|---|---|---|---|---|---|---|---|\n")
		rows := of(all, func(r result) bool { return r.size == size })
		for _, r := range rows {
			text.WriteString(row(&r, &rows[0]))
		}
	}
	return text.String()
}

func row(r, first *result) string {
	if !r.complete() {
		return fmt.Sprintf("| %s | not at rest within the limit, %d served | | | | %s | | |\n", r.controller, r.ready, megabytes(r.converge.resident))
	}
	each := func(c cost) (requests, kilobytes, milliseconds float64) {
		n := float64(r.size)
		return float64(c.requests) / n, float64(c.bytes) / 1000 / n, float64(c.cpu.Milliseconds()) / n
	}
	requests, kilobytes, cpu := each(r.converge)
	ofFirst := first.converge
	if !first.complete() {
		ofFirst = cost{} // there is nothing to compare with
	}
	ofRequests, ofKilobytes, ofCPU := each(ofFirst)
	return fmt.Sprintf("| %s | %s | %.1f%s%s | %.1f%s | %.1f ms%s | %s%s | %s, %d requests, %.1f MB, CPU %s | %s, %d requests |\n",
		r.controller, seconds(r.converge.took), requests, ratio(requests, ofRequests), refused(&r.converge), kilobytes, ratio(kilobytes, ofKilobytes),
		cpu, ratio(cpu, ofCPU), megabytes(r.converge.resident), ratio(float64(r.converge.resident), float64(ofFirst.resident)),
		seconds(r.restart.took), r.restart.requests, float64(r.restart.bytes)/1e6, r.restart.cpu.Round(time.Millisecond),
		r.edit.took.Round(time.Millisecond), r.edit.requests)
}

// refused says how many requests were answered with an error: a conflict, for example.
func refused(c *cost) string {
	if c.refused == 0 {
		return ""
	}
	return fmt.Sprintf(", %d refused", c.refused)
}

// ratio to the first controller, in parentheses.
func ratio(value, first float64) string {
	if first == 0 || value == first {
		return ""
	}
	return fmt.Sprintf(" (×%.2g)", value/first)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func megabytes(bytes uint64) string { return fmt.Sprintf("%.0f MB", float64(bytes)/1e6) }

func sizes(all []result) []int {
	var found []int
	for _, r := range all {
		found = append(found, r.size)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func of(all []result, is func(result) bool) (found []result) {
	for _, r := range all {
		if is(r) {
			found = append(found, r)
		}
	}
	return found
}

// write puts the tables between the marks of performance.md, and the plot beside it.
func write(dir string, all []result) error {
	page := filepath.Join(dir, "performance.md")
	text, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	written, err := marked.Replace(string(text), begin, tables(all))
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	picture, err := plot(all)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "performance.svg"), picture, 0o644); err != nil {
		return fmt.Errorf("writing the plot: %w", err)
	}
	if err := os.WriteFile(page, []byte(written), 0o644); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

//go:embed plot.svg.tmpl
var plotTemplate string

// panel is a part of the plot, on logarithmic scales.
type panel struct {
	X     int
	Title string
	Lines []line
	Ticks []tick // of the number of objects
	Marks []tick // of the value
}

// line of a controller, whose points are x,y in pixels.
type line struct {
	Controller, Color, Points string
	Dots                      []dot
	Legend                    int // where the controller is named, from the top
}

type dot struct{ X, Y float64 }

type tick struct {
	At   float64
	Text string
}

const (
	// width and height of a panel's axes, in pixels.
	width, height = 260.0, 200.0
	// apart is the distance between two panels.
	apart = 340
)

// colors can be told apart on light and on dark, also by those who do not see all colors.
func colors() []string { return []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"} }

// plot draws how time, requests and memory grow with the number of objects.
func plot(all []result) ([]byte, error) {
	panels := []panel{
		drawn(0, "until all are served, in seconds", all, func(r result) float64 { return r.converge.took.Seconds() }),
		drawn(apart, "requests for each object", all, func(r result) float64 { return float64(r.converge.requests) / float64(r.size) }),
		drawn(2*apart, "memory, in MB", all, func(r result) float64 { return float64(r.converge.resident) / 1e6 }),
	}
	parsed, err := template.New("plot").Parse(plotTemplate)
	if err != nil {
		return nil, fmt.Errorf("reading the plot's template: %w", err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, panels); err != nil {
		return nil, fmt.Errorf("drawing the plot: %w", err)
	}
	return out.Bytes(), nil
}

// drawn returns the panel of a value. A controller that did not come to an end has no point.
func drawn(x int, title string, all []result, value func(result) float64) panel {
	complete := of(all, func(r result) bool { return r.complete() })
	p := panel{X: x, Title: title}
	counts := sizes(complete)
	var values []float64
	for _, r := range complete {
		values = append(values, value(r))
	}
	if len(values) == 0 {
		return p
	}
	across := axis(float64(counts[0]), float64(counts[len(counts)-1]), width)
	up := axis(slices.Min(values), slices.Max(values), height)
	for _, count := range counts {
		p.Ticks = append(p.Ticks, tick{across(float64(count)), fmt.Sprint(count)})
	}
	for _, v := range []float64{slices.Min(values), slices.Max(values)} {
		p.Marks = append(p.Marks, tick{height - up(v), fmt.Sprintf("%.3g", v)})
	}
	for i, controller := range controllers(all) {
		l := line{Controller: controller, Color: colors()[i%len(colors())], Legend: 285 + 18*i}
		for _, r := range of(complete, func(r result) bool { return r.controller == controller }) {
			d := dot{across(float64(r.size)), height - up(value(r))}
			l.Points += fmt.Sprintf("%.1f,%.1f ", d.X, d.Y)
			l.Dots = append(l.Dots, d)
		}
		p.Lines = append(p.Lines, l)
	}
	return p
}

// axis returns the position of a value on a logarithmic axis of this length. The axis
// begins at from and ends at to.
func axis(from, to, length float64) func(float64) float64 {
	return func(value float64) float64 {
		if to <= from || from <= 0 {
			return length / 2
		}
		return length * math.Log(value/from) / math.Log(to/from)
	}
}

func controllers(all []result) (found []string) {
	for _, r := range all {
		if !slices.Contains(found, r.controller) {
			found = append(found, r.controller)
		}
	}
	return found
}

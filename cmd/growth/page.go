package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"text/template"

	"reconform.dev/reconform/cmd/internal/marked"
)

// begin is the line before what is generated in explore.md.
const begin = "<!-- The table is made by: make explore-growth -->\n"

// write puts the text between the marks of explore.md, and the picture beside it.
func write(dir, text string, found []explored) error {
	page := filepath.Join(dir, "explore.md")
	old, err := os.ReadFile(page)
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	written, err := marked.Replace(string(old), begin, text)
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	picture, err := draw(found)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "explore.svg"), picture, 0o644); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	if err := os.WriteFile(page, []byte(written), 0o644); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

//go:embed picture.svg.tmpl
var pictureTemplate string

const (
	// width and height of the axes, in pixels.
	width, height = 520.0, 260.0
	// steps is into how many parts an axis is divided.
	steps = 5
)

// dot is a controller, in pixels from the corner of the axes.
type dot struct {
	X, Y        float64
	Name, Title string
}

type tick struct {
	At   float64
	Text string
}

// draw draws a dot for each controller: how many plans it has, over its writes.
func draw(found []explored) ([]byte, error) {
	most := explored{writes: 1, plans: 1}
	for _, e := range found {
		most.writes, most.plans = max(most.writes, e.writes), max(most.plans, e.plans)
	}
	var picture struct {
		Dots         []dot
		Ticks, Marks []tick
	}
	for _, e := range found {
		picture.Dots = append(picture.Dots, dot{
			width * float64(e.writes) / float64(most.writes), height - height*float64(e.plans)/float64(most.plans),
			e.name, fmt.Sprintf("%d writes, %d kinds watched, %d plans", e.writes, e.watches, e.plans),
		})
	}
	for n := range steps + 1 {
		part := float64(n) / steps
		picture.Ticks = append(picture.Ticks, tick{width * part, fmt.Sprintf("%.0f", part*float64(most.writes))})
		picture.Marks = append(picture.Marks, tick{height - height*part, fmt.Sprintf("%.0f", part*float64(most.plans))})
	}
	parsed, err := template.New("picture").Parse(pictureTemplate)
	if err != nil {
		return nil, fmt.Errorf("reading the picture's template: %w", err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, picture); err != nil {
		return nil, fmt.Errorf("drawing the picture: %w", err)
	}
	return out.Bytes(), nil
}

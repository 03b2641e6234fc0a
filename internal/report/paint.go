package report

import (
	"io"
	"os"

	"golang.org/x/term"
)

// descriptor is something with a file descriptor, such as a file.
type descriptor interface{ Fd() uintptr }

// terminal returns out if it is a terminal that understands escape codes, else nil.
// TERM=dumb does not.
func terminal(out io.Writer) descriptor {
	file, ok := out.(descriptor)
	if !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return file
}

// A Painter colours words by their meaning. The zero Painter does not colour.
type Painter struct{ on bool }

// NewPainter makes a Painter for out. It colours only on a terminal, and not if NO_COLOR
// is set (https://no-color.org).
func NewPainter(out io.Writer) Painter {
	return Painter{terminal(out) != nil && os.Getenv("NO_COLOR") == ""}
}

// The colours of outcomes.
const (
	red    = "\x1b[31m"
	green  = "\x1b[32m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// Good paints what passed.
func (p Painter) Good(text string) string { return p.paint(green, text) }

// Bad paints what failed.
func (p Painter) Bad(text string) string { return p.paint(red, text) }

// Unsure paints what came to no conclusion.
func (p Painter) Unsure(text string) string { return p.paint(yellow, text) }

func (p Painter) paint(colour, text string) string {
	if !p.on {
		return text
	}
	return colour + text + plain
}

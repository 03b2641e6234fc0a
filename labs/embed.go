// Package labs holds the teaching labs: the text of each, and what the check looks at.
// Their starts and solutions are made when they are needed (internal/lab/steps), from the
// marked source in labs/controller, or in labs/node for JavaScript.
package labs

import "embed"

// FS has the labs, and what a student's folder is made of.
//
//go:embed [0-9][0-9]-* debug predict beyond hands-on hands-on.md
//go:embed controller node/*.js node/*.json node/*.yaml student
var FS embed.FS

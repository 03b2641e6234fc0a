// Package labs holds the teaching labs: for each its text, what the check looks at, a
// start and a solution. The starts and the solutions are generated from labs/controller,
// and those in JavaScript from labs/node (make generate): do not edit them.
package labs

import "embed"

// FS has the labs, and what a student's module is made of.
//
//go:embed [0-9][0-9]-* debug predict beyond hands-on hands-on.md student node/package.json node/package-lock.json
var FS embed.FS

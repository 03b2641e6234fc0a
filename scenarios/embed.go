// Package scenarios carries the project's scenarios, so that the suite needs no
// other file. They are plain Chainsaw tests: README.md lists what each proves.
package scenarios

import "embed"

// FS holds AREA/REQUIREMENT/chainsaw-test.yaml, and the step templates that
// these use.
//
//go:embed */*/chainsaw-test.yaml templates/*.yaml
var FS embed.FS

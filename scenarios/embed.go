// Package scenarios carries the project's scenarios, so that the suite needs no
// other file. They are plain Chainsaw tests: README.md lists what each proves.
package scenarios

import "embed"

// FS holds AREA/REQUIREMENT/chainsaw-test.yaml, the step templates that these use, and
// CONTRACT/contract.yaml for each area that is a contract of its own.
//
//go:embed */*/chainsaw-test.yaml */contract.yaml templates/*.yaml
var FS embed.FS

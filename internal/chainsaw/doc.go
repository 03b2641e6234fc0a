// Package chainsaw runs Chainsaw tests with Chainsaw's own runner, in a process
// of its own: that runner works through testing.MainStart and process-wide
// flags, and would otherwise take the whole process with it.
//
// The parent calls Run; the same executable, started again, becomes the
// runner in Main. What the runner prints is turned into events as
// it comes; what each test did is read from a file at the end.
package chainsaw

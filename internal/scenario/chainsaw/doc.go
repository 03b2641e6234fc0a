// Package chainsaw runs Chainsaw tests with Chainsaw's own runner, in its own process. That
// runner uses testing.MainStart and process-wide flags, so it would otherwise end the whole
// process.
//
// The parent calls Run. The same executable, started again, becomes the runner in Main.
// What the runner prints is turned into events at once; the results of each test are read
// from a file at the end.
package chainsaw

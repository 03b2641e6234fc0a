// Package history remembers everything a controller under test asked of the API server, and what the bench did.
//
// A [Recorder] keeps the requests in memory, by scenario, for those who judge them while the scenario runs, and
// writes each as a line of JSON, for those who read the report afterwards. A request is written once, when it has
// ended; those still open when the recorder is closed are written then, as unfinished.
//
// Requests and events share one sequence of numbers, in the order in which they began.
package history

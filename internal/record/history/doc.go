// Package history records every request of a controller under test to the API server, and
// what the bench did.
//
// A [Recorder] keeps the requests in memory, by scenario, so that they can be judged while
// the scenario runs. It also writes each as a line of JSON, for people who read the report
// later. A request is written once, when it has ended. Requests that are still open when
// the recorder is closed are then written as unfinished.
//
// Requests and events share one sequence of numbers, in the order in which they began.
package history

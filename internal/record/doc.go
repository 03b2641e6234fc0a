// Package record holds what is known of a controller's traffic. It has no code of its own:
// each package below does one job.
//
// In: the requests of a controller under test, and what the bench did to it.
// Out: a history of both, and the violations of what must never happen.
//
//   - proxy stands between one replica and the API server, and records each request;
//   - history keeps the requests and events, and answers questions about them;
//   - invariant finds in a history what no controller may ever do;
//   - stream reads and makes watch events;
//   - sanitize makes text harmless before people or CI systems read it.
package record

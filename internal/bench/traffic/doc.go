// Package traffic serves the Traffic objects: it counts what the subject sends during one
// window of time. It judges recorded requests, so it can prove "never" and "no more than".
// Polling cannot prove that.
package traffic

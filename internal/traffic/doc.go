// Package traffic serves the Traffic objects: it counts what the subject sends during
// one window of time. It judges the requests that were recorded, so it can prove
// "never" and "no more than", which polling cannot.
package traffic

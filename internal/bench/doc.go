// Package bench turns a control plane into a test bench: it installs what the
// profile needs and serves the objects that scenarios are written with. A
// Subject becomes processes behind recording proxies, a Traffic a count, an
// Observation a watch.
//
// A bench serves one profile. Scenarios do not meet on it: each has a namespace of its
// own, and every Subject sees only that of its scenario.
package bench

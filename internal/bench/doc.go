// Package bench turns a control plane into a test bench: it installs what the profile
// needs, and serves the objects that scenarios are written with. A Subject starts processes
// behind recording proxies, a Traffic counts requests, an Observation watches objects.
//
// A bench serves one profile. Scenarios on it do not disturb each other: each has its own
// namespace, and every Subject sees only that of its scenario.
package bench

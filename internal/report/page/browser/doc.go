// Package browser tests report.html as a person sees it: in a real browser, Chromium,
// which is not part of the suite. It is a module of its own, so that the suite does not
// depend on the library that drives a browser. `make browser` runs it.
package browser

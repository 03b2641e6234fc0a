// Package browser looks at report.html as a person does: in a real browser, Chromium,
// which is not part of the suite. It is a module of its own, so that the suite does not
// depend on what drives a browser. `make browser` runs it.
package browser

// Package page makes report.html: the report of a run with its history, for people.
//
// It is one file that needs nothing else, and no network. What stands on it is made by a
// template that escapes all text; its policy lets no style and no script run but its own.
// The verdicts and their evidence are written out, so that the page can be read and
// printed without a script. The script draws what is in the history: [Make] puts the
// requests that matter most into the page, as numbers, and says how many it has left out.
package page

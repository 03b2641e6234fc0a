// Package page makes report.html, which shows the report of a run with its history to
// people.
//
// It is one file that needs nothing else, and no network. A template makes its content and
// escapes all text. Its policy allows only its own style and its own script. The verdicts
// and their evidence are in the HTML, so that the page can be read and printed without a
// script. The script draws the history: writePage puts the requests that matter most into the
// page, as numbers, and says how many it has left out.
package page

package report

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// badgeLabel is the left half of a badge.
const badgeLabel = "reconform"

// badgeOf returns the verdict in a word or two, and its colour: the name that shields.io
// has for it, and the value in an image.
func badgeOf(report *v1alpha1.ConformanceReport) (message, name, colour string) {
	switch report.Verdict {
	case v1alpha1.Conformant:
		return "conformant", "brightgreen", "#4c1"
	case v1alpha1.Partial:
		return fmt.Sprintf("partial, %d of %d core", report.Core.Judged, report.Core.Total), "yellow", "#b58900"
	case v1alpha1.NotConformant:
		return fmt.Sprintf("not conformant, %d failed", report.Summary.Failed+report.Summary.Flaky), "red", "#e05d44"
	default:
		return "inconclusive", "lightgrey", "#9f9f9f"
	}
}

// badgeJSON returns the badge for shields.io. https://shields.io/badges/endpoint-badge can
// read it wherever it is published.
func badgeJSON(report *v1alpha1.ConformanceReport) ([]byte, error) {
	message, colour, _ := badgeOf(report)
	data, err := json.MarshalIndent(struct {
		SchemaVersion int    `json:"schemaVersion"`
		Label         string `json:"label"`
		Message       string `json:"message"`
		Color         string `json:"color"`
	}{1, badgeLabel, message, colour}, "", "  ")
	return append(data, '\n'), err
}

// badgeSVG returns the badge as an image. It contains only our own words and numbers.
func badgeSVG(report *v1alpha1.ConformanceReport) []byte {
	message, _, colour := badgeOf(report)
	left, right := badgeWidth(badgeLabel), badgeWidth(message)
	const template = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img" aria-label="%[4]s: %[5]s">
  <title>%[4]s: %[5]s</title>
  <clipPath id="round"><rect width="%[1]d" height="20" rx="3"/></clipPath>
  <g clip-path="url(#round)">
    <rect width="%[2]d" height="20" fill="#555"/>
    <rect x="%[2]d" width="%[3]d" height="20" fill="%[6]s"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
    <text x="%[7]d" y="14" textLength="%[8]d">%[4]s</text>
    <text x="%[9]d" y="14" textLength="%[10]d">%[5]s</text>
  </g>
</svg>
`
	return fmt.Appendf(nil, template, left+right, left, right, badgeLabel, message, colour,
		left/2, left-badgePadding, left+right/2, right-badgePadding)
}

// badgePadding is how much wider a half of a badge is than its text, in pixels.
const badgePadding = 12

// badgeWidth returns the width of a half. Letters have about this width; the image makes
// them fit.
func badgeWidth(text string) int { return 13*utf8.RuneCountInString(text)/2 + badgePadding }

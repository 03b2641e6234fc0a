package page

import "reconform.dev/reconform/conformance/api/v1alpha1"

// knownLine is a known failure, and what the run found about it.
type knownLine struct {
	v1alpha1.KnownResult
	Shown state
}

func knownLines(known []v1alpha1.KnownResult) []knownLine {
	var lines []knownLine
	for _, k := range known {
		shown := map[v1alpha1.KnownState]state{
			v1alpha1.KnownFails:   {Class: "idle", Word: "fails, as known", Symbol: "○"},
			v1alpha1.KnownExpired: {Class: "failed", Word: "fails, after its last day", Symbol: "✕"},
			v1alpha1.KnownMended:  {Class: "passed", Word: "is fixed: remove it from the file", Symbol: "✓"},
			v1alpha1.KnownNotSeen: {Class: "skipped", Word: "was not judged", Symbol: "–"},
		}[k.State]
		lines = append(lines, knownLine{k, shown})
	}
	return lines
}

// shortDigest returns enough of a digest to tell two files apart.
func shortDigest(digest string) string {
	const most = len("sha256:") + 12
	if len(digest) <= most {
		return digest
	}
	return "(" + digest[:most] + "…)"
}

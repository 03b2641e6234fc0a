package bench

import (
	"testing"

	"reconform.dev/reconform/internal/process/incluster"
	"reconform.dev/reconform/internal/profile"
)

// TestDefinitions: only the CRD whose objects are converted names the webhook of the
// bench. On a cluster of the user, the CRD is not changed.
func TestDefinitions(t *testing.T) {
	p, err := profile.Load("../../fixtures/profiles/backup.yaml")
	if err != nil {
		t.Fatal(err)
	}
	served := &webhook{url: "https://127.0.0.1:1234", bundle: []byte("bundle")}
	for name, tc := range map[string]struct {
		bench Bench
		want  string
	}{
		"before it is served": {bench: Bench{options: Options{Profile: p}}},
		"own control plane":   {bench: Bench{options: Options{Profile: p}, webhook: served}, want: "https://127.0.0.1:1234/conversions"},
		"cluster of the user": {bench: Bench{options: Options{Profile: p, Shared: true}, webhook: &webhook{relay: &incluster.Relay{}}}},
	} {
		t.Run(name, func(t *testing.T) {
			definitions, err := tc.bench.definitions()
			if err != nil {
				t.Fatal(err)
			}
			seen := false
			for _, definition := range definitions {
				got := ""
				if conversion := definition.Spec.Conversion; conversion != nil && conversion.Webhook != nil {
					got = *conversion.Webhook.ClientConfig.URL
				}
				want := ""
				if definition.Name == "backups.backup.example.com" {
					seen, want = true, tc.want
				}
				if got != want {
					t.Errorf("%s is converted by %q, want %q", definition.Name, got, want)
				}
			}
			if !seen {
				t.Error("there is no definition of Backups")
			}
		})
	}
}

package catalogue

import (
	"net/url"
	"testing"
)

// TestDocuments: each area has links to explanations, with complete addresses.
func TestDocuments(t *testing.T) {
	for _, a := range areas() {
		found := Documents(a.name)
		if len(found) == 0 {
			t.Errorf("nothing explains %s", a.name)
		}
		for _, d := range found {
			if at, err := url.Parse(d.Address); err != nil || at.Scheme != "https" || at.Host == "" || d.Title == "" {
				t.Errorf("%s: %q at %q: %v", a.name, d.Title, d.Address, err)
			}
		}
	}
	if found := Documents("nothing"); found != nil {
		t.Errorf("an area that is not known has %v", found)
	}
}

package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestShots takes pictures of the pages that SHOTS names, for people to look at, into the
// folder SHOTS_DIR. Without SHOTS it does nothing.
func TestShots(t *testing.T) {
	dir := os.Getenv("SHOTS_DIR")
	if dir != "" {
		if err := os.MkdirAll(dir, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range strings.Fields(os.Getenv("SHOTS")) {
		for _, width := range []int64{phone, desk} {
			for _, scheme := range []string{"light", "dark"} {
				name := fmt.Sprintf("%s-%d-%s.png", filepath.Base(filepath.Dir(file)), width, scheme)
				t.Run(name, func(t *testing.T) {
					p := open(t, file, width, scheme)
					picture := run(p, chromedp.FullScreenshot(100))
					if err := os.WriteFile(filepath.Join(dir, name), picture, 0o600); err != nil {
						t.Fatal(err)
					}
				})
			}
		}
	}
}

// TestPicture takes the picture of the README: the timeline of the failure in the report
// PICTURE_OF, which must be a failed failover. It writes PICTURE. Without PICTURE it does
// nothing.
func TestPicture(t *testing.T) {
	to := os.Getenv("PICTURE")
	if to == "" {
		t.Skip("make picture runs it")
	}
	p := open(t, os.Getenv("PICTURE_OF"), pictured, "light")
	run(p, chromedp.Poll[bool](`document.querySelector('details.entry.failed .chart svg.timeline path.mark.proof') !== null`))
	if id := eval[string](p, `document.querySelector('details.entry.failed').id`); !strings.HasPrefix(id, "LF-") {
		t.Fatalf("the first failure is %s, and not that of a failover", id)
	}
	// What is only for a hand or for a long look is left out.
	eval[bool](p, `(document.querySelectorAll('.chart .tools, .chart .rows').forEach((part) => { part.hidden = true; }), true)`)
	picture := run(p, chromedp.Screenshot(`details.entry.failed .chart`))
	if err := os.WriteFile(to, picture, 0o600); err != nil {
		t.Fatal(err)
	}
}

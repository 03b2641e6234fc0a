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

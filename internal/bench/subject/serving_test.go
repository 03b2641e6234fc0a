package subject

import (
	"slices"
	"strings"
	"testing"
)

func TestListenersIn(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   1: 0100007F:1F91 0100007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 2
   2: 00000000000000000000000000000000:24EB 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 3
`
	if got, want := listenersIn(strings.NewReader(table)), []int{8080, 9451}; !slices.Equal(got, want) {
		t.Errorf("listenersIn = %v, want %v", got, want)
	}
}

// TestPagesAt: a port that gives no answer is asked twice, and not for each page. A server that is
// slow with one page has the others.
func TestPagesAt(t *testing.T) {
	paths := []string{"/readyz", "/ready", "/healthz", "/metrics"}
	for name, tc := range map[string]struct{ silent, asked, got []string }{
		"another protocol": {paths, paths[:2], nil},
		"a slow page":      {paths[:1], paths, paths[1:]},
		"the last is slow": {paths[3:], paths, paths[:3]},
	} {
		t.Run(name, func(t *testing.T) {
			var asked, got []string
			for _, page := range pagesAt(paths, func(path string) (Page, bool) {
				asked = append(asked, path)
				return Page{Path: path}, !slices.Contains(tc.silent, path)
			}) {
				got = append(got, page.Path)
			}
			if !slices.Equal(asked, tc.asked) || !slices.Equal(got, tc.got) {
				t.Errorf("asked for %q, and got %q; want %q and %q", asked, got, tc.asked, tc.got)
			}
		})
	}
}

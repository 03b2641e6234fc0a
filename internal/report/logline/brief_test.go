package logline

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInBrief: of a long log, what tells of a failure is shown, and the last lines.
func TestInBrief(t *testing.T) {
	chat := func(from, count int) (lines []string) {
		for n := range count {
			lines = append(lines, fmt.Sprintf("looking at object %d", from+n))
		}
		return lines
	}
	join := func(parts ...[]string) (all []string) {
		for _, part := range parts {
			all = append(all, part...)
		}
		return all
	}
	for name, tc := range map[string]struct {
		lines, want []string
	}{
		"nothing": {nil, nil},
		"few":     {chat(1, 8), chat(1, 8)},
		"many":    {chat(1, 20), join(chat(13, 8), []string{"… (12 other lines are in the report)"})},
		"a failure at the beginning": {
			join([]string{"cannot list deployments"}, chat(1, 20)),
			join([]string{"cannot list deployments"}, chat(14, 7), []string{"… (13 other lines are in the report)"}),
		},
		"more failures than room": {
			join(chat(1, 2), []string{"error 1", "error 2", "error 3", "error 4", "error 5", "error 6", "error 7"}, chat(3, 4)),
			join([]string{"error 3", "error 4", "error 5", "error 6", "error 7"}, chat(4, 3), []string{"… (5 other lines are in the report)"}),
		},
		"the same failure again and again": {
			join(chat(1, 4), []string{"error", "error", "error"}, chat(5, 8)),
			join([]string{"error (×3)"}, chat(6, 7), []string{"… (5 other lines are in the report)"}),
		},
		"two logs": {
			join([]string{"==> subject-0.log <=="}, chat(1, 9), []string{"==> subject-1.log <=="}, chat(20, 2)),
			join([]string{"==> subject-0.log <=="}, chat(4, 6), []string{"==> subject-1.log <=="}, chat(20, 2), []string{"… (3 other lines are in the report)"}),
		},
		"a log of which nothing is kept": {
			join([]string{"==> subject-0.log <=="}, chat(1, 2), []string{"==> subject-1.log <=="}, chat(20, 9)),
			join([]string{"==> subject-1.log <=="}, chat(21, 8), []string{"… (3 other lines are in the report)"}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, InBrief(tc.lines)); diff != "" {
				t.Errorf("InBrief (-want +got):\n%s", diff)
			}
		})
	}
}

package trial

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/sanitize"
)

// mostAgain is how many writes are named that come again and again.
const mostAgain = 3

// againAndAgain says in words which writes came most often: ": update deployments demo
// 40 times". What came once is not among them.
func againAndAgain(writes []history.Request) string {
	times := map[string]int{}
	for _, q := range writes {
		if q.Effect == history.EffectEffective {
			_, what, _ := strings.Cut(q.InWords(), " ")
			times[what]++
		}
	}
	maps.DeleteFunc(times, func(_ string, count int) bool { return count < 2 })
	often := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Or(times[b]-times[a], cmp.Compare(a, b)) })
	if len(often) == 0 {
		return ""
	}
	for i, what := range often {
		often[i] = fmt.Sprintf("%s %d times", what, times[what])
	}
	return ": " + sanitize.CutList(often, mostAgain, ", ")
}

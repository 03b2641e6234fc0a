package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestPairs: the second disturbance is at the next attempt of the same write, or later.
func TestPairs(t *testing.T) {
	r := recordingOf([]Write{create("services"), create("secrets")}, "services")
	recorded, operations := map[string]*Recording{"create": r}, []Operation{r.Operation}
	var got []string
	for _, p := range pairPlans(recorded, operations) {
		if strings.HasPrefix(p.Sort, "crash-after+") || strings.HasPrefix(p.Sort, "watch-late+lost") || p.Sort == "500+conflict" {
			got = append(got, p.Sort+" "+p.Kind)
		}
		if p.Also == nil || p.Also.At.Resource != p.Kind[strings.Index(p.Kind, "+")+1:] {
			t.Errorf("plan: %+v", p)
		}
	}
	slices.Sort(got)
	want := []string{
		"500+conflict secrets+secrets", "500+conflict services+secrets", "500+conflict services+services",
		"crash-after+500 services+secrets", "crash-after+conflict services+secrets", "crash-after+crash-after services+secrets",
		"crash-after+lost-answer services+secrets",
		"watch-late+lost-answer services+secrets", "watch-late+lost-answer services+services",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
}

// TestPairsComeLast: plans with one disturbance come first. Of the pairs, each first
// and each second disturbance comes early.
func TestPairsComeLast(t *testing.T) {
	r := recordingOf([]Write{create("services"), create("secrets")}, "services")
	single := r.plans()
	pairs := pairPlans(map[string]*Recording{"create": r}, []Operation{r.Operation})
	all, err := distinct(slices.Concat(pairs, single))
	if err != nil || len(all) != len(single)+len(pairs) {
		t.Fatalf("%d plans, want %d and %d: %v", len(all), len(single), len(pairs), err)
	}
	ordered := order(all, 1)
	for i, p := range ordered {
		if (p.Also != nil) != (i >= len(single)) {
			t.Fatalf("plan %d is %s", i, p.InWords())
		}
	}
	early := map[string]bool{}
	for _, p := range ordered[len(single) : len(single)+16] {
		first, second := p.halves()
		early["first "+first.Sort], early["second "+second.Sort] = true, true
	}
	for _, sort := range sortsOfPairs() {
		if !early["first "+sort] || !early["second "+sort] {
			t.Errorf("%s is not both first and second in the first 16 pairs: %v", sort, early)
		}
	}
}

func TestPairInWords(t *testing.T) {
	r := recordingOf([]Write{create("services"), create("secrets")})
	for _, p := range pairPlans(map[string]*Recording{"create": r}, []Operation{r.Operation}) {
		if p.Sort != "500+crash-after" || p.Kind != "services+secrets" {
			continue
		}
		if diff := cmp.Diff("create: at create services demo, and at create secrets demo: it is answered with 500 once; then the controller is killed just after it", p.InWords()); diff != "" {
			t.Error(diff)
		}
		want := "create services demo fails once (500), and then the controller is killed just after create secrets demo"
		if diff := cmp.Diff(want, p.inProduction()); diff != "" {
			t.Error(diff)
		}
		return
	}
	t.Error("there is no such pair")
}

// TestManyPairsAreOrdered: the pairs of a controller with many writes are so many that a look at each
// for each would take longer than their recordings.
func TestManyPairsAreOrdered(t *testing.T) {
	var writes []Write
	for i := range 60 {
		w := create("services")
		w.Resource, w.Name = fmt.Sprintf("kind%d.example.com", i%6), fmt.Sprintf("demo-%d", i)
		writes = append(writes, w)
	}
	r := recordingOf(writes, "services")
	pairs := pairPlans(map[string]*Recording{"create": r}, []Operation{r.Operation})
	began := time.Now()
	ordered := order(pairs, 1)
	if took := time.Since(began); took > 20*time.Second || len(ordered) != len(pairs) {
		t.Errorf("%d of %d pairs are in order after %s", len(ordered), len(pairs), took)
	}
}

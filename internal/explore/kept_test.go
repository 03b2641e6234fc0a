package explore

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
)

// somePlans are plans of several sorts.
func somePlans() []*Plan {
	r := recordingOf([]Write{create("services"), create("deployments.apps")}, "services")
	r.Steps[0].Create.Object = apiextensionsv1.JSON{Raw: []byte(`{"kind":"WebApp","metadata":{"name":"demo"}}`)}
	r.Undisturbed.Masks = []v1alpha1.TrialMask{{Object: "services demo", Path: "spec.x"}}
	plans := r.plans()
	for _, p := range plans {
		p.Operation.Called, p.Resources = "services", []string{"services"}
	}
	return plans
}

func begun(t *testing.T, path string) *Exploration {
	t.Helper()
	kept, err := Keep(path, Identity{Version: "v1", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return exploring(kept)
}

// exploring is an exploration that has neither a bench nor a controller.
func exploring(kept *Kept) *Exploration {
	return &Exploration{
		target: &Target{Resource: "webapps"}, options: Options{Seed: 1, Kept: kept, Console: report.NewQuietConsole(os.Stderr)}, place: &place{},
		minimised: map[string]*v1alpha1.Minimised{},
	}
}

// goOn reads what was kept, and restores it.
func goOn(t *testing.T, path string) *Exploration {
	t.Helper()
	kept, err := Resume(path, Identity{Version: "v1", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() })
	e := exploring(kept)
	if !e.restore() {
		t.Fatal("nothing was restored")
	}
	return e
}

// What was done is known when the exploration goes on, to the last field, and is not done
// again.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), KeptFile)
	e := begun(t, path)
	e.planned, e.left = somePlans(), []string{"something"}
	e.place.number.Store(7)
	if err := e.recordingDone(); err != nil {
		t.Fatal(err)
	}
	e.keep(t.Context(), e.planned[0], ending{})
	e.missed(t.Context(), e.planned[1], "not there")
	diverging := found("create", 1, 2, 3, missing("services demo"))
	diverging.plan, diverging.first.namespace, diverging.first.Outcome = e.planned[2], "explore-3", "large"
	e.keep(t.Context(), e.planned[2], ending{Finding: diverging.kept()})
	e.place.number.Store(9)
	once := *diverging
	once.confirmed = false
	e.keep(t.Context(), e.planned[3], ending{Finding: once.kept()})

	again := goOn(t, path)
	if diff := cmp.Diff(e.planned, again.planned); diff != "" {
		t.Errorf("plans (-was +is):\n%s", diff)
	}
	if again.earlier != 4 || again.done != 3 || len(again.undone()) != len(e.planned)-4 || again.place.number.Load() != 9 {
		t.Errorf("%d plans were done before, %d to the end, %d are left, %d namespaces", again.earlier, again.done, len(again.undone()), again.place.number.Load())
	}
	if len(again.findings) != 1 || len(again.once) != 1 || again.findings[0].plan != again.planned[2] || again.findings[0].first.namespace != "explore-3" || again.findings[0].came != 2 {
		t.Errorf("findings: %+v, unconfirmed: %+v", again.findings, again.once)
	}
	if len(again.unreached) != 1 || again.unreached[0].Reason != "not there" || again.left[0] != "something" {
		t.Errorf("unreached: %+v, left out: %q", again.unreached, again.left)
	}
	for _, plan := range again.undone() {
		if plan == again.planned[0] {
			t.Error("a plan that was done is done again")
		}
	}
}

// TestResumeOnABusyMachine: as many plans run side by side as before, unless the user says how many. An
// exploration that goes on has no first run by which it could tell how busy the machine is.
func TestResumeOnABusyMachine(t *testing.T) {
	path := filepath.Join(t.TempDir(), KeptFile)
	e := begun(t, path)
	e.planned, e.options.Parallel = somePlans(), 3
	if err := e.recordingDone(); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		now  Options
		want int
	}{
		"on the same machine":  {Options{Parallel: 16, Adapt: true}, 3},
		"on a smaller machine": {Options{Parallel: 2, Adapt: true}, 2},
		"as the user says":     {Options{Parallel: 16}, 16},
	} {
		kept, err := Resume(path, Identity{Version: "v1", Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		again := exploring(kept)
		again.options.Parallel, again.options.Adapt = tc.now.Parallel, tc.now.Adapt
		if !again.restore() || again.options.Parallel != tc.want {
			t.Errorf("%s: %d at a time, want %d", name, again.options.Parallel, tc.want)
		}
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A process that is killed, or a full disk, leaves a part of a line. The lines before
// it can be read, and so can lines that are added later.
func TestPartOfALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), KeptFile)
	e := begun(t, path)
	e.planned = somePlans()
	if err := e.recordingDone(); err != nil {
		t.Fatal(err)
	}
	e.keep(t.Context(), e.planned[0], ending{})
	e.keep(t.Context(), e.planned[1], ending{})
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data[:len(data)-9], 0o600); err != nil {
		t.Fatal(err)
	}
	again := goOn(t, path)
	if again.earlier != 1 {
		t.Errorf("%d plans are known", again.earlier)
	}
	again.keep(t.Context(), again.planned[2], ending{})
	if last := goOn(t, path); last.earlier != 2 {
		t.Errorf("then %d plans are known", last.earlier)
	}
}

// A line in the middle that is damaged, such as that of the recordings, is told, and what it
// said counts as not done.
func TestDamagedLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), KeptFile)
	e := begun(t, path)
	e.planned = somePlans()
	if err := e.recordingDone(); err != nil {
		t.Fatal(err)
	}
	for _, plan := range e.planned[:3] {
		e.keep(t.Context(), plan, ending{})
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		damaged []int // numbers of lines, from 1
		want    string
		earlier int
	}{
		"none":           {nil, "", 3},
		"one result":     {[]int{4}, "line 4 of explore-kept.jsonl cannot be read: what was kept there counts as not done", 2},
		"two results":    {[]int{3, 5}, "lines 3, 5 of explore-kept.jsonl cannot be read: what was kept there counts as not done", 1},
		"the recordings": {[]int{2}, "line 2 of explore-kept.jsonl cannot be read: what was kept there counts as not done", 0},
	} {
		lines := strings.SplitAfter(string(whole), "\n")
		for _, number := range tc.damaged {
			lines[number-1] = lines[number-1][:9] + "\n"
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		kept, err := Resume(path, Identity{Version: "v1", Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		again := exploring(kept)
		again.options.Console = report.NewQuietConsole(&out)
		if restored := again.restore(); restored != (name != "the recordings") || again.earlier != tc.earlier {
			t.Errorf("%s: restored: %t, %d plans are known", name, restored, again.earlier)
		}
		again.planned = e.planned // as it plans anew, if the recordings are lost
		if left := len(again.undone()); left != len(e.planned)-tc.earlier {
			t.Errorf("%s: %d plans are left of %d, %d of which are known", name, left, len(e.planned), tc.earlier)
		}
		if got := strings.TrimSpace(out.String()); got != tc.want {
			t.Errorf("%s: told %q, want %q", name, got, tc.want)
		}
		if err := kept.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// If the controller or the profile has changed since, the error says what, and old and
// new results are not mixed.
func TestResumeOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), KeptFile)
	if _, err := Resume(path, Identity{}); err == nil || !strings.Contains(err.Error(), "there is no exploration to go on with") {
		t.Errorf("without a file: %v", err)
	} else if !strings.Contains(err.Error(), "explore without --resume") {
		t.Errorf("without a file, it does not say what to do: %v", err)
	}
	was := Identity{Version: "v1", Profile: "sha256:0123456789abcdef", Program: "sha256:aa", Manifests: "sha256:cc", Seed: 1, Sorts: []string{"create"}}
	kept, err := Keep(path, was)
	if err != nil {
		t.Fatal(err)
	}
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change func(*Identity)
		want   string
	}{
		"seed":     {func(i *Identity) { i.Seed = 2 }, "--seed (was 1, is 2)"},
		"profile":  {func(i *Identity) { i.Profile = "sha256:ffff" }, "the profile (was sha256:0123456789ab, is sha256:ffff)"},
		"binary":   {func(i *Identity) { i.Program = "sha256:bb" }, "the controller's program (was sha256:aa, is sha256:bb)"},
		"CRD":      {func(i *Identity) { i.Manifests = "sha256:dd" }, "the installed manifests"},
		"sorts":    {func(i *Identity) { i.Sorts = nil }, "--operations (was create, is not given)"},
		"shard":    {func(i *Identity) { i.Shard = "1/2" }, "--shard (was not given, is 1/2)"},
		"version":  {func(i *Identity) { i.Version = "v2" }, "the version of Reconform (was v1, is v2)"},
		"the same": {func(*Identity) {}, ""},
	} {
		is := was
		tc.change(&is)
		_, err := Resume(path, is)
		if (tc.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	if err := os.WriteFile(path, []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Resume(path, was); err == nil || !strings.Contains(err.Error(), ":1: it does not say what was explored") {
		t.Errorf("another file: %v", err)
	}
}

// A word that is given twice, or in another place, is the same choice.
func TestChoiceIsTheSame(t *testing.T) {
	one, other := sorted([]string{"edit", "create", "edit"}), sorted([]string{"create", "edit"})
	if diff := cmp.Diff(one, other); diff != "" {
		t.Error(diff)
	}
	if none := sorted(nil); len(none) != 0 {
		t.Errorf("nothing given: %q", none)
	}
}

// If the disk is full, a message says so, and the exploration goes on.
func TestNoSpaceToKeep(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	kept := &Kept{file: full}
	if err := kept.add(Identity{}); err == nil || !strings.Contains(kept.broken(), "--resume will do some of it again") {
		t.Errorf("%v: %q", err, kept.broken())
	}
	// It is told once, however often it happens.
	var told bytes.Buffer
	e := exploring(kept)
	e.options.Console, e.planned = report.NewConsole(&told), somePlans()
	if err := e.recordingDone(); err != nil {
		t.Fatal(err)
	}
	for _, plan := range e.planned {
		e.keep(t.Context(), plan, ending{})
	}
	e.options.Console.Close()
	if n := strings.Count(told.String(), "--resume will do some of it again"); n != 1 {
		t.Errorf("it is told %d times:\n%s", n, told.String())
	}
}

// Each plan is in exactly one shard, and none of the shards is small.
func TestShards(t *testing.T) {
	plans := somePlans()
	for _, resource := range []string{"configmaps", "secrets", "jobs.batch", "leases", "pods"} {
		plans = append(plans, recordingOf([]Write{create(resource), create(resource + "x")}, resource).plans()...)
	}
	const count = 3
	var sizes [count]int
	for _, plan := range plans {
		is := 0
		for index := 1; index <= count; index++ {
			in, err := plan.in(&v1alpha1.Shard{Index: index, Count: count})
			if err != nil {
				t.Fatal(err)
			}
			if in {
				is++
				sizes[index-1]++
			}
		}
		if is != 1 {
			t.Errorf("%s is in %d shards", plan.InWords(), is)
		}
	}
	for _, size := range sizes {
		if size < len(plans)/count/2 {
			t.Errorf("%d plans in shards of %v", len(plans), sizes)
		}
	}
}

// A plan whose confirmation is interrupted is not done: it is told as one that came once, and
// is carried out again. If it was confirmed before, nothing is lost.
func TestInterruptedWhileConfirming(t *testing.T) {
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()
	for name, tc := range map[string]struct {
		ctx               context.Context
		confirmed         bool
		done, once, found int
		again             int // plans that an exploration carries out which goes on
	}{
		"interrupted":           {interrupted, false, 0, 1, 0, 1},
		"interrupted, but sure": {interrupted, true, 1, 0, 1, 0},
		"it did not come again": {t.Context(), false, 1, 1, 0, 0},
		"it came again":         {t.Context(), true, 1, 0, 1, 0},
	} {
		path := filepath.Join(t.TempDir(), KeptFile)
		e := begun(t, path)
		e.planned = somePlans()[:1]
		if err := e.recordingDone(); err != nil {
			t.Fatal(err)
		}
		f := found("create", 1, 1, 1, missing("services demo"))
		f.plan, f.confirmed = e.planned[0], tc.confirmed
		e.conclude(tc.ctx, f)
		if e.done != tc.done || len(e.once) != tc.once || len(e.findings) != tc.found {
			t.Errorf("%s: %d done, %d came once, %d found; want %d, %d, %d", name, e.done, len(e.once), len(e.findings), tc.done, tc.once, tc.found)
		}
		if again := len(goOn(t, path).undone()); again != tc.again {
			t.Errorf("%s: %d plans are carried out again, want %d", name, again, tc.again)
		}
	}
}

// TestOperationsOfAShard: the report of a shard lists each operation that has plans, also if none
// of them is in the shard.
func TestOperationsOfAShard(t *testing.T) {
	e := exploring(nil)
	e.planned, e.options.Shard = somePlans(), &v1alpha1.Shard{Index: 1, Count: 100_000}
	names := slices.Sorted(maps.Keys(e.plansByOperation()))
	for _, name := range append(names, "create then restart") { // only recorded
		e.recordings = append(e.recordings, &Recording{Operation: Operation{Name: name}})
	}
	if err := e.recordingDone(); err != nil {
		t.Fatal(err)
	}
	var found v1alpha1.ExploreReport
	e.reportOperations(&found)
	var got []string
	for _, o := range found.Operations {
		got = append(got, o.Name)
		if o.Plans != 0 {
			t.Errorf("%s: %d plans of this shard", o.Name, o.Plans)
		}
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
}

// TestExpectationsAreSaidOnce: a Trial may have 200 masks. What two recordings have in common counts
// once.
func TestExpectationsAreSaidOnce(t *testing.T) {
	a, b := v1alpha1.TrialMask{Object: "services demo", Path: "spec.a"}, v1alpha1.TrialMask{Object: "services demo"}
	plan := somePlans()[0]
	plan.Undisturbed.Masks = []v1alpha1.TrialMask{a, b, a}
	plan.Undisturbed.Harms, plan.Undisturbed.Deletions = []v1alpha1.TrialMask{b, b}, []string{"pods b", "pods a", "pods b"}
	got := plan.spec(targetOf(t, "reference").Profile).Undisturbed
	if diff := cmp.Diff([]v1alpha1.TrialMask{a, b}, got.Masks); diff != "" || len(got.Harms) != 1 || len(got.Deletions) != 2 {
		t.Errorf("%d harms, %d deletions, masks (-want +got):\n%s", len(got.Harms), len(got.Deletions), diff)
	}
	if len(plan.Undisturbed.Masks) != 3 {
		t.Error("the plan was changed")
	}
}

// TestIdentityHasTheValues: what a Helm chart is rendered with is a part of what is installed.
func TestIdentityHasTheValues(t *testing.T) {
	values := filepath.Join(t.TempDir(), "values.yaml")
	p := &profile.Profile{}
	p.Spec.Install.Values = []string{values}
	var digests []string
	for _, content := range []string{"replicas: 1", "replicas: 2"} {
		if err := os.WriteFile(values, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		id, err := Identify(p, "v1", Options{})
		if err != nil {
			t.Fatal(err)
		}
		digests = append(digests, id.Manifests)
	}
	if digests[0] == digests[1] {
		t.Errorf("other values, and the same digest of the manifests: %q", digests[0])
	}
}

// TestIdentityHasTheProgram: a script, and what it imports from the folder that it is started in, is
// the program. What it writes there, such as a log, is not.
func TestIdentityHasTheProgram(t *testing.T) {
	for name, tc := range map[string]struct {
		command   []string
		directory string
		changed   string
		want      bool // another program
	}{
		"the script":                   {[]string{"/bin/sh", "run.sh"}, "", "run.sh", true},
		"the script in its folder":     {[]string{"/bin/sh", "main.sh"}, "app", "app/main.sh", true},
		"what the script imports":      {[]string{"/bin/sh", "main.sh"}, "app", "app/lib/more.sh", true},
		"a module of Python":           {[]string{"/bin/sh", "-m", "app"}, "app", "app/lib/more.py", true},
		"a log":                        {[]string{"/bin/sh", "main.sh"}, "app", "app/main.log", false},
		"what npm has installed":       {[]string{"/bin/sh", "main.sh"}, "app", "app/node_modules/more.sh", false},
		"a hidden folder":              {[]string{"/bin/sh", "main.sh"}, "app", "app/.venv/more.sh", false},
		"it is started somewhere else": {[]string{"/bin/sh", "run.sh"}, "", "app/main.sh", false},
	} {
		dir := t.TempDir()
		write := func(path, text string) {
			path = filepath.Join(dir, path)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{"run.sh", "app/main.sh", tc.changed} {
			write(path, "one")
		}
		p := &profile.Profile{Dir: dir}
		p.Spec.Launch.Command, p.Spec.Launch.Directory = tc.command, tc.directory
		var digests []string
		for _, content := range []string{"one", "two"} {
			write(tc.changed, content)
			id, err := Identify(p, "v1", Options{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			digests = append(digests, id.Program)
		}
		if other := digests[0] != digests[1]; other != tc.want {
			t.Errorf("%s: another program: %t, want %t", name, other, tc.want)
		}
	}
}

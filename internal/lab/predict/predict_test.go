package predict

import (
	"flag"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/check"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/labs"
)

// only says which experiments are done. The one of a short test is the shortest.
var only = flag.String("labs", "^lost-answer$", "only experiments whose name matches")

func TestMain(m *testing.M) {
	supervisor.Main()
	chainsaw.Main()
	log.SetLogger(logr.Discard()) // the bench has a log of its own
	flag.Parse()
	os.Exit(m.Run())
}

// expert has the predictions of one who knows what the labs explain.
func expert() map[string]string {
	return map[string]string{
		"hundred-patches":    "reconciles: 11\nwrites: 10\nlast-wins: yes",
		"partitioned-leader": "takeover: 3s\nboth-write: no\nunserved: 3s",
		"missed-while-down":  "lists: 1\ngets: 0\ncreated: 30\ngone: 0",
		"no-cache-sync":      "creates: 25\ncode: 409\nlie: yes\ntwins: 5",
		"no-forget":          "until-created: 6.3s\nsixth-pause: 3.2s\nnext-pause: 6.4s",
		"retry-after":        "pause: 3s\nfailures: 0\ncreates: 3\nother-served: yes",
		"scaled-to-zero":     "healed: 100ms\nevent: deployment\nfrozen: 0",
		"leaders-node-dies":  "after-death: 3s\nafter-shutdown: 800ms\nmissed: yes\ntakeover-writes: 1",
		"lost-answer":        "failed: 1\ncreates: 1\nevents: 0",
		"slow-webhook":       "edit-waits: 2s\nreplicas: 2\nhealed: 100ms\nstatus-written: yes\ndeleted: yes",
		"cascade":            "deletes: 0\norphan: yes\nfollowed: 1",
		"blind-create":       "creates: 5\ncode: 409\nfailures: 0\nset-back: no",
		"refused-spec":       "looks-at-none: 0\nattempts: 3\nservice: yes\nafter-correction: 100ms",
		"two-limiters":       "shortest: 100ms\nlongest: 2s\nalone: 1.6s",
		"polling":            "polled: 100\nwatched: 0\nset-back: 500ms",
	}
}

func predictLabs(t *testing.T) map[string]*lab.Lab {
	t.Helper()
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*lab.Lab{}
	for _, l := range all {
		if name, ok := strings.CutPrefix(l.Folder, "predict/"); ok {
			found[name] = l
		}
	}
	return found
}

// TestLabs: each experiment can be prepared and measured, its questions are complete,
// and an expert's answers to them are in this test.
func TestLabs(t *testing.T) {
	found := predictLabs(t)
	if len(found) != len(expert()) {
		t.Errorf("%d labs, and %d of them are answered", len(found), len(expert()))
	}
	for name, l := range found {
		t.Run(name, func(t *testing.T) {
			for _, q := range l.Questions {
				if _, err := compile(q); err != nil {
					t.Error(err)
				}
				if q.Ask == "" || q.Because == "" {
					t.Errorf("%s lacks its question, or the explanation", q.ID)
				}
			}
			if _, err := Answers("expert", []byte(expert()[name]), l); err != nil {
				t.Error(err)
			}
			form, err := fs.ReadFile(labs.FS, l.Folder+"/answer.yaml")
			if err != nil || string(form) != Form(l) {
				t.Errorf("answer.yaml is not that of its questions (make generate): %v", err)
			}
			if _, err := files(labs.FS, l); err != nil {
				t.Error(err)
			}
			p, err := profile.Resolve(profile.Default)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := plan(labs.FS, l, p); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestExperiments: what an expert predicts is measured.
func TestExperiments(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a control plane for each")
	}
	screen := report.NewConsole(io.Discard)
	defer screen.Close()
	for name, l := range predictLabs(t) {
		if !regexp.MustCompile(*only).MatchString(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			predicted, err := Answers("expert", []byte(expert()[name]), l)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Controller(t.Context(), labs.FS, l, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			record, err := Run(t.Context(), labs.FS, l, p, check.Options{Dir: t.TempDir(), TimeoutScale: 2, Console: screen})
			if err != nil {
				t.Fatal(err)
			}
			measured, err := Measure(l, record)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range Compare(l, predicted, measured) {
				t.Logf("%s: predicted %s, measured %s", c.ID, c.Predicted.Text(c.Question), c.Measured.Text(c.Question))
				if !c.Right {
					t.Errorf("%s is not what is expected:\n%s", c.ID, strings.Join(Timeline(record), "\n"))
				}
			}
		})
	}
}

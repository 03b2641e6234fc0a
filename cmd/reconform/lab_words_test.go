package main

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab/check"
)

// TestInLabWords: what a student cannot know is left out, or said in words.
func TestInLabWords(t *testing.T) {
	for suite, want := range map[string]string{
		"expected no requests, found 1 in 1.5s: #96 update deployments demo (noop)":                                     "expected no requests, found 1 in 1.5s: update deployments demo (it changed nothing)",
		"expected at most 2 effective writes (that change something); found 3 in 4s":                                    "expected at most 2 writes that change something; found 3 in 4s",
		"expected no effective writes (that change something); found 1 in 4s: #553 create deployments demo (effective)": "expected no write that changes anything; found 1 in 4s: create deployments demo",
		"deployments.apps demo is not there: it was made (#757), and not made again":                                    "deployments.apps demo is not there: it was made, and not made again",
		"the last attempt to write it failed (#787 update webapps/status demo: 409)":                                    "the last attempt to write it failed (update webapps/status demo: 409)",
		"and that is refused each time (AlreadyExists: it exists, #572 the last)":                                       "and that is refused each time (AlreadyExists: it exists)",
		`demo is forbidden: User "system:serviceaccount:lab-1-home:subject" cannot update resource "webapps"`:           `demo is forbidden: your controller cannot update resource "webapps"`,
		`Forbidden: subject-0 has no right to create deployments.apps demo: deployments.apps "demo" is forbidden`:       `deployments.apps "demo" is forbidden`,
		"#202 update webapps demo by subject-0 at 09:07:17.009: 403, refused":                                           "update webapps demo at 09:07:17.009: 403, refused",
		"subject-0 had not ended after 18.769s, and was killed":                                                         "your controller had not ended after 18.769s, and was killed",
		"subject-0 created deployments.apps demo after subject-1 had the Lease (#65) (#53)":                             "replica 0 created deployments.apps demo after replica 1 had the Lease",
		"expected the subject to fall quiet within 5s; found it did not":                                                "it has not come to rest within 5s: it sends one request after the other, though nothing has changed",
		"creating Deployment demo: a Fault of the scenario answers with 500":                                            "creating Deployment demo: this check answers with 500",
	} {
		if got := inLabWords(suite); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestToldFirst: what could not be tried comes behind what is surely not reached.
func TestToldFirst(t *testing.T) {
	finding := func(id string, verdict v1alpha1.ResultVerdict, reason string) (f check.Finding) {
		f.ID, f.Verdict, f.Reason, f.Result = id, verdict, reason, &v1alpha1.Result{}
		return f
	}
	passed := finding("passed", v1alpha1.Passed, "")
	untried := finding("untried", v1alpha1.ResultInconclusive, "the scenario could not be carried out: it failed at \"Given that the controller is quiet\"")
	unsure := finding("unsure", v1alpha1.ResultInconclusive, "the machine was slow")
	failed := finding("failed", v1alpha1.Failed, "no")
	later := finding("later", v1alpha1.Blocked, "")
	later.Needs = "failed"
	for name, tc := range map[string]struct {
		findings []check.Finding
		want     string
	}{
		"the first that is not reached":   {[]check.Finding{passed, unsure, failed}, "unsure"},
		"one that was tried":              {[]check.Finding{untried, passed, failed}, "failed"},
		"one that was tried, and unsure":  {[]check.Finding{untried, unsure}, "unsure"},
		"none is sure":                    {[]check.Finding{passed, untried}, "untried"},
		"what needs another is for later": {[]check.Finding{later, failed}, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := toldFirst(tc.findings); got.ID != tc.want {
				t.Errorf("%s, want %s", got.ID, tc.want)
			}
		})
	}
	if got := toldFirst([]check.Finding{passed}); got != nil {
		t.Errorf("%s is told, and all is reached", got.ID)
	}
}

package page

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// evil is what a subject may say, in any text: it ends the script, begins one, hides,
// commands a terminal, and goes on. Lines of it are a megabyte long.
var evil = "</script></style></details><script>alert(1)</script><img src=x onerror=alert(2)>\" onmouseover=\"alert(3) {{.Script}} <!-- \x1b[2J\x1b]0;owned\x07" +
	"\u202e\u2028::error::no\n\x00\xff ]]> ${alert(4)} `" + strings.Repeat("<b>", 1<<12)

// obeyed matches characters that a terminal or a browser may obey. No part of the page
// may contain them.
var obeyed = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u202e\u2028]")

// TestHostile: whatever a subject writes, the page shows it as text.
func TestHostile(t *testing.T) {
	result := func(id string, v v1alpha1.ResultVerdict) v1alpha1.Result {
		lines := []string{evil, evil + strings.Repeat("<b>", 1<<19), `{"level":"error","msg":` + `"</script><script>alert(5)</script>"` + `,"x":"` + strings.Repeat("<i>", 1000) + `"}`}
		return v1alpha1.Result{
			ID: id, Area: evil, Level: evil, Feature: evil, Verdict: v, Must: evil, Reason: evil, BlockedBy: evil, Exercised: evil, Idle: lines,
			FirstLook: evil, Advice: lines, Itself: &v1alpha1.Itself{Verdict: v, Reason: evil},
			Evidence: &v1alpha1.Evidence{
				Failure: evil, Step: evil, Difference: "--- expected\n+" + evil, Requests: lines, Catches: evil, Hint: evil, Log: lines,
				Reproduce: evil, Namespace: "reconform-" + strings.ToLower(id),
				Violations: []v1alpha1.Violation{{Rule: evil, About: evil, Message: evil, Requests: []int64{1, 2}}},
			},
		}
	}
	r := reported(t, result("SH-001", v1alpha1.Failed), result("SH-002", v1alpha1.Blocked), result("SH-003", v1alpha1.Flaky),
		result("SH-004", v1alpha1.ResultInconclusive), result(`"><script>alert(6)</script>`, v1alpha1.Skipped))
	r.Implementation = v1alpha1.Implementation{Name: evil, Version: evil, Description: evil}
	r.Profile, r.Reproduce, r.Isolation = evil, evil, []string{evil}
	r.NotStarted = &v1alpha1.NotStarted{Reason: evil, Log: []string{evil}, Reproduce: evil}
	r.SeenButUnclaimed = []v1alpha1.SeenButUnclaimed{{Feature: v1alpha1.Feature(evil), Seen: evil, Add: evil}}
	r.Unserved = []v1alpha1.Unserved{{Request: evil, Count: 2, Answer: evil, SeenIn: []string{evil}}}
	r.Measured = []v1alpha1.Measured{{Name: evil, What: evil, In: evil}}
	r.Versions.Platform = evil

	var file bytes.Buffer
	recorder := history.New(&file, nil)
	for range 50 {
		recorder.Begin(history.Request{
			Scenario: "reconform-sh-001", Subject: "</script>", Replica: "<b>alert(7)", Verb: evil, Method: evil, Path: evil, Resource: evil, Namespace: evil, Name: evil,
			Code: 500, Reason: evil, Message: evil, Holder: evil, Fault: "<img src=y>", Note: evil + strings.Repeat("<b>", 1<<19),
		}).Finish(nil)
		recorder.Event(history.Event{Scenario: "reconform-sh-001", Replica: "<!-- <script>", Object: evil, Reason: "</script>", Message: evil})
	}
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	page := made(t, r, file.Bytes())

	for element, want := range map[string]int{"<script": 2, "</script": 2, "<style": 1, "</style": 1, "<img": 0, "<b>alert": 0, "<!--": 0, "<i>": 0} {
		if got := strings.Count(page, element); got != want {
			t.Errorf("%d times %s, want %d", got, element, want)
		}
	}
	if at := obeyed.FindStringIndex(page); at != nil {
		t.Errorf("the page holds %q", page[max(0, at[0]-80):min(len(page), at[1]+80)])
	}
	for _, tag := range regexp.MustCompile(`<[a-z]+[^>]*>`).FindAllString(page, -1) {
		tag = regexp.MustCompile(`"[^"]*"`).ReplaceAllString(tag, `""`)
		if regexp.MustCompile(`[ "](?:on[a-z]+|src|style)=`).MatchString(tag) {
			t.Errorf("an attribute runs: %.200s", tag)
		}
	}
	if opened, closed := strings.Count(page, "<details"), strings.Count(page, "</details"); opened != closed {
		t.Errorf("%d are opened, and %d closed", opened, closed)
	}
	if len(page) > 5<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
	t.Logf("%d bytes", len(page))
}

// TestSecrets: a token or a key in the output of a subject is not on the page.
func TestSecrets(t *testing.T) {
	token := "eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQifQ.c2lnbmF0dXJlLXRoYXQtaXMtbG9uZw"
	key := "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7b\n-----END RSA PRIVATE KEY-----"
	result := failed("SH-003")
	result.Reason = "said " + token
	result.Evidence.Log = append([]string{"Authorization: Bearer " + token}, strings.Split(key, "\n")...)
	result.Evidence.Difference = key
	var file bytes.Buffer
	recorder := history.New(&file, nil)
	recorder.Begin(history.Request{
		Scenario: "reconform-sh-003", Replica: "subject-0", Verb: history.VerbOther, Path: "/api?token=" + token, Code: 401, Message: token, Note: key,
	}).Finish(nil)
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	page := made(t, reported(t, result), file.Bytes())
	for _, secret := range []string{"eyJzdWIi", "c2lnbmF0dXJl", "MIIEpAIB"} {
		if at := strings.Index(page, secret); at >= 0 {
			t.Errorf("the page holds %q", page[max(0, at-80):at+40])
		}
	}
	if !strings.Contains(page, "(a token was left out)") || !strings.Contains(page, "(a key was left out)") {
		t.Error("the page does not say that something was left out")
	}
}

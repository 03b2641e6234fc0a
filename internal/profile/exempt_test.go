package profile

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestExpire: an exemption counts on its last day, and not after it.
func TestExpire(t *testing.T) {
	until := func(day string) v1alpha1.Exemption {
		return v1alpha1.Exemption{Resources: []string{"pods"}, Why: "w", Expires: day}
	}
	p := &Profile{}
	p.Spec.Claims.Exempt = []v1alpha1.Exemption{until(""), until("2027-01-30"), until("2027-01-31"), until("2027-02-01")}
	expired := p.Expire(time.Date(2027, 1, 31, 23, 0, 0, 0, time.UTC))
	if diff := cmp.Diff([]v1alpha1.Exemption{until("2027-01-30")}, expired); diff != "" {
		t.Errorf("expired (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]v1alpha1.Exemption{until(""), until("2027-01-31"), until("2027-02-01")}, p.Spec.Claims.Exempt); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

// TestExpiresOnADay: an invalid date is reported, with its field.
func TestExpiresOnADay(t *testing.T) {
	text, err := os.ReadFile("../../fixtures/profiles/reference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for day, want := range map[string]string{
		"2027-02-28": "",
		"2027-02-31": `spec.claims.exempt[0].expires: "2027-02-31" is not a valid date`,
		"tomorrow":   "spec.claims.exempt[0].expires",
	} {
		exempt := `    exempt: [{resources: [pods], why: w, owner: me, expires: "` + day + "\"}]\n"
		changed := strings.Replace(string(text), "    unowned: refuse\n", "    unowned: refuse\n"+exempt, 1)
		_, err := Parse("../../fixtures/profiles/mine.yaml", []byte(changed))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", day, err, want)
		}
	}
}

// TestExemptFromInvariants: a write to an object of the contract can be exempt only
// from invariants that are named.
func TestExemptFromInvariants(t *testing.T) {
	text, err := os.ReadFile("../../fixtures/profiles/reference.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for exemption, want := range map[string]string{
		`verbs: [update], resources: [webapps.apps.kubedojo.io], invariants: [GenerationRaised]`: "",
		`verbs: [update], resources: [deployments.apps], invariants: [ForeignObject, HotLoop]`:   "",
		`resources: [webapps.apps.kubedojo.io], fields: [status.lastSeen, metadata.annotations]`: "",
		`resources: [webapps.apps.kubedojo.io], fields: [status.lastSeen, status]`:               "spec.claims.exempt[0].fields[1]: status: name a field of the status or of the metadata",
		`resources: [webapps.apps.kubedojo.io], fields: [spec.replicas]`:                         "spec.claims.exempt[0].fields[0]: spec.replicas: name a field of the status",
		`verbs: [update], resources: [webapps.apps.kubedojo.io]`:                                 "webapps.apps.kubedojo.io is of the contract: only get, list and watch can be exempt, or writes from the invariants",
		`verbs: [update], resources: [webapps.apps.kubedojo.io], invariants: [Crashed]`:          "Crashed",
		`resources: [secrets, configmaps, leases.coordination.k8s.io]`:                           "",
		`resources: [secret]`:                  `spec.claims.exempt[0].resources[0]: "secret" has no group, and no resource without a group is called so (did you mean "secrets"?). That of another resource follows its plural, as in ingresses.networking.k8s.io`,
		`resources: [ingresses]`:               `"ingresses" has no group, and no resource without a group is called so. That of another`,
		`verbs: [patch], resources: [secrets]`: `spec.claims.exempt[0].verbs[0]: unsupported value "patch"; a patch counts as an update; allowed: get`,
	} {
		line := "    exempt: [{" + exemption + ", why: w}]\n"
		changed := strings.Replace(string(text), "    unowned: refuse\n", "    unowned: refuse\n"+line, 1)
		_, err := Parse("../../fixtures/profiles/mine.yaml", []byte(changed))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", exemption, err, want)
		}
	}
}

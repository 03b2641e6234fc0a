package catalogue

import (
	"strings"
	"testing"
)

func TestCheckSelector(t *testing.T) {
	all := []Requirement{
		{ID: "SH-004", Labels: map[string]string{LabelID: "SH-004", LabelArea: "self-healing", LabelLevel: "core"}},
		{ID: "ST-001", Labels: map[string]string{LabelID: "ST-001", LabelArea: "status", LabelLevel: "extended"}},
	}
	for selector, want := range map[string]string{
		"":                              "",
		"level=core,area=status":        "", // nothing has both, but each exists
		"area in (status,self-healing)": "",
		"reconform.dev/level=extended":  "",
		"slow!=true":                    "", // none of these is slow
		"slow=true":                     "",
		"!slow":                         "",
		"area!=scale":                   "",
		"a=b=c":                         "", // left to Chosen
		"level=cor":                     `--selector: no requirement has level=cor (did you mean "core"?); there are: core, extended`,
		"area in (status,stats)":        `no requirement has area=stats (did you mean "status"?); there are: self-healing, status`,
		"reconform.dev/lvel=core":       `--selector: there is no label reconform.dev/lvel (did you mean "level"?); there are: id, area, level, `,
		"slwo!=true":                    `there is no label slwo (did you mean "slow"?)`,
		"id=SH-04":                      `no requirement has id=SH-04 (did you mean "SH-004"?)`,
	} {
		err := CheckSelector(all, selector)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v, want %q", selector, err, want)
		}
	}
}

package main

import (
	"crypto/sha256"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

func TestUsage(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	object := filepath.Join(dir, "object.yaml")
	if err := os.WriteFile(object, []byte("{apiVersion: hosting.kubedojo.io/v1, kind: Site, metadata: {name: a}, spec: {container: {image: a}}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	nowhere := "/proc" // where root cannot write either
	if runtime.GOOS == "darwin" {
		nowhere = "/System"
	}
	reports := filepath.Join(dir, "reports")
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, []byte(`{apiVersion: v1, kind: Config, contexts: [{name: kind-a, context: {cluster: a}}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	explored := filepath.Join(dir, "explored")
	if err := errors.Join(os.Mkdir(explored, 0o700), os.WriteFile(filepath.Join(explored, "explore-report.yaml"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		want string // in the error
	}{
		"misspelt command":      {[]string{"rum"}, `unknown command "rum" for reconform (did you mean "run"?); see reconform --help`},
		"unknown command":       {[]string{"badge"}, `unknown command "badge" for reconform; see reconform --help`},
		"unknown flag":          {[]string{"run", "--frob"}, "unknown flag: --frob; see reconform run --help"},
		"too many arguments":    {[]string{"render", "extra"}, `unexpected argument "extra": reconform render takes none`},
		"run of an unknown ID":  {[]string{"run", "extra"}, "no requirement extra; reconform list shows all"},
		"run of a misspelt ID":  {[]string{"run", "SH-04"}, `no requirement SH-04 (did you mean "SH-004"?)`},
		"run of two kinds":      {[]string{"run", "SH-004", "--run", "^SH-"}, "give either IDs (SH-004) or --run"},
		"list of a misspelt ID": {[]string{"list", "sh-04"}, `no requirement sh-04 (did you mean "SH-004"?)`},
		"help of what":          {[]string{"help", "foo"}, `unknown command "foo"`},
		"help of no lab":        {[]string{"help", "lab", "foo"}, `unknown command "foo" for reconform lab`},
		"explore, no operation": {[]string{"explore", "--operations", "creat"}, `--operations: there is no operation "creat"; there are: create, edit`},
		"explore, what way":     {[]string{"explore", "--disturbances", "conflict,crash"}, `--disturbances: there is no disturbance "crash"; there are: crash-after, crash-before`},
		"explore, operations":   {[]string{"explore", "--operations", ""}, "--operations is empty; name some, or leave it out to have all"},
		"explore, disturbances": {[]string{"explore", "--disturbances", ""}, "--disturbances is empty; name some, or leave it out to have all"},
		"explore, no budget":    {[]string{"explore", "--budget", "-1m"}, "--budget is -1m0s"},
		"explore, too many":     {[]string{"explore", "--parallel", "1000"}, "--parallel is 1000; allowed: 1 to 200"},
		"explore, no profile":   {[]string{"explore", "--profile", "referenz"}, `no profile "referenz"`},
		"explore, no folder":    {[]string{"explore", "--report-dir", ""}, "--report-dir is empty"},
		"explore, no shard":     {[]string{"explore", "--shard", "3/2"}, "--shard 3/2 is not I/N"},
		"explore, no known":     {[]string{"explore", "--known", "none.yaml"}, "--known: reading the known failures"},
		"explore, no format":    {[]string{"explore", "-o", "xml"}, "--output xml is not text or json"},
		"explore, no earlier":   {[]string{"explore", "--resume", "--report-dir", filepath.Join(filepath.Dir(file), "new")}, "--resume: there is no exploration to go on with"},
		"explore, a file":       {[]string{"explore", "--report-dir", file}, "--report-dir"},
		"not a number":          {[]string{"run", "--repeat", "x"}, `--repeat: "x" is not a whole number; see reconform run --help`},
		"not a time":            {[]string{"explore", "--budget", "5"}, `--budget: "5" is not a time, as in 90s or 5m`},
		"not a scale":           {[]string{"run", "--timeout-scale", "two"}, `--timeout-scale: "two" is not a number, as in 1.5`},
		"misspelt flag":         {[]string{"run", "--paralel", "2"}, `unknown flag: --paralel (did you mean "--parallel"?)`},
		"misspelt in a lab":     {[]string{"lab", "strat", "01"}, `unknown command "strat" for reconform lab (did you mean "start"?); see reconform lab --help`},
		"misspelt asset":        {[]string{"assets", "lst"}, `unknown command "lst" for reconform assets (did you mean "list"?)`},
		"clean where":           {[]string{"clean"}, "--kubeconfig is missing"},
		"folder as a name":      {[]string{"run", "--profile", "testdata"}, "profile testdata: this is a folder: name the file in it, as in testdata/mine.yaml"},
		"another file":          {[]string{"run", "--profile", "main.go"}, "profile main.go: the name of the file must end in .yaml or .yml, or have a slash, as in ./main.go"},
		"empty profile":         {[]string{"run", "--profile", ""}, "--profile is empty; give a value, or leave the flag out; see reconform run --help"},
		"empty pattern":         {[]string{"run", "--run="}, "--run is empty; give a value, or leave the flag out"},
		"empty ID":              {[]string{"run", ""}, `an argument of reconform run is empty`},
		"empty ID of several":   {[]string{"explain", "SH-001", ""}, `an argument of reconform explain is empty`},
		"empty file":            {[]string{"validate", ""}, `an argument of reconform validate is empty`},
		"empty folder":          {[]string{"report", "--compare", "", "reports"}, `an argument of reconform report is empty`},
		"empty lab":             {[]string{"lab", "start", ""}, `an argument of reconform lab start is empty`},
		"init without a file":   {[]string{"init", "--crd", "none.yaml", "--rbac", "nothing"}, "--sample is missing: name a file with an object of the CRD\n--crd: no such file: none.yaml\n--rbac: no such file: nothing\nthe command is missing"},
		"in which cluster":      {[]string{"run", "--in-cluster", "--profile", "nothing.yaml"}, "--in-cluster needs --kubeconfig: name the file of the cluster"},
		"kubeconfig first":      {[]string{"run", "--kubeconfig", "none", "--profile", "nothing.yaml"}, "--kubeconfig: reading none: no such file or directory"},
		"empty program":         {[]string{"init", "--crd", "crd.yaml", "--sample", "sample.yaml", "--", ""}, `an argument of reconform init is empty`},
		"empty CRD":             {[]string{"init", "--crd", "", "--sample", "sample.yaml", "--", "true"}, "--crd is empty; give a value, or leave the flag out; see reconform init --help"},
		"empty roles":           {[]string{"init", "--rbac", "roles.yaml", "--rbac="}, "--rbac is empty; give a value, or leave the flag out"},
		"empty folder to read":  {[]string{"init", "--readable", ""}, "--readable is empty; give a value, or leave the flag out"},
		"empty values":          {[]string{"init", "--values", ""}, "--values is empty; give a value, or leave the flag out"},
		"~ in a flag":           {[]string{"run", "--report-dir=~/reports"}, "--report-dir: ~/reports: the shell does not replace ~ behind = or in quotes: write $HOME/reports"},
		"~ in a list":           {[]string{"init", "--crd=crd.yaml", "--crd=~/roles.yaml"}, "--crd: ~/roles.yaml: the shell does not replace ~"},
		"~ in an argument":      {[]string{"validate", "~/mine.yaml"}, "~/mine.yaml: the shell does not replace ~"},
		"init to a bare name":   {[]string{"init", "--crd", file, "--sample", file, "--out", "mine", "--", "true"}, "--out mine: the name of a profile's file ends in .yaml or .yml, or has a slash, as in mine.yaml"},
		"init before it began":  {[]string{"init", "--crd", file, "--sample", file, "--max-time", "-1m", "--", "true"}, "--max-time is -1m0s; give more, or leave it out"},
		"grades into a file":    {[]string{"lab", "grade", "--reports", file, dir}, "--reports: making the folder of the reports"},
		"port of no webhook":    {[]string{"init", "--crd", file, "--sample", file, "--webhook-port", "70000", "--", "true"}, "--webhook-port is 70000; give the port at which the controller serves its webhooks, 1 to 65535"},
		"port 0 of a webhook":   {[]string{"init", "--crd", file, "--sample", file, "--webhook-port", "0", "--", "true"}, "--webhook-port is 0"},
		"nowhere to write":      {[]string{"init", "--crd", "../../fixtures/variants/renamed/crd.yaml", "--sample", object, "--out", nowhere + "/mine.yaml", "--", "true"}, "--out " + nowhere + "/mine.yaml: nothing can be written to its folder: "},
		"up, nowhere to write":  {[]string{"up", "--kubeconfig-out", nowhere + "/kubeconfig"}, "--kubeconfig-out: " + nowhere + "/kubeconfig cannot be written: nothing can be written to its folder: "},
		"folder as a program":   {[]string{"init", "--crd", "../../fixtures/variants/renamed/crd.yaml", "--sample", object, "--out", filepath.Join(dir, "out.yaml"), "--", "."}, `the command: no program "." on the PATH`},
		"profile as a flag":     {[]string{"validate", "--profile", "mine.yaml"}, "unknown flag: --profile; give the profile without a flag, as in: reconform validate mine.yaml"},
		"rights of a part":      {[]string{"run", "RB-002"}, "nothing to run: RB-002: compares the rights granted with the requests of a whole run, and this is a part of one: run all, without --run"},
		"folder as a profile":   {[]string{"run", "--profile", dir + "/."}, "this is a folder, and not a file"},
		"bad --run":             {[]string{"run", "--run", "("}, "--run: ( is not a regular expression: missing closing ); write it as in ^SH- or SH-00[1-4]"},
		"a skip of nothing":     {[]string{"run", "--skip", "NOPE"}, "--skip NOPE matches no requirement; reconform list shows all"},
		"flags come first":      {[]string{"run", "--profile", "nothing.yaml", "--repeat", "0"}, "--repeat is 0; allowed: 1 to"},
		"bad --skip":            {[]string{"run", "--skip", "("}, "--skip: ( is not a regular expression: missing closing )"},
		"bad selector":          {[]string{"run", "-l", "slow~true"}, "--selector: slow~true is not a selector; write it as in area=status,level=core or slow!=true"},
		"file as an ID":         {[]string{"run", "testdata/crashing.yaml"}, "did you mean --profile testdata/crashing.yaml?"},
		"nothing of this name":  {[]string{"run", "--run", "^XX-999$"}, "no requirement matches --run"},
		"nothing of this label": {[]string{"run", "-l", "level=top"}, "--selector: no requirement has level=top; there are: advice, core, extended"},
		"misspelt area":         {[]string{"list", "-l", "area=self-heeling"}, `no requirement has area=self-heeling (did you mean "self-healing"?)`},
		"misspelt label":        {[]string{"run", "-l", "slwo!=true"}, `--selector: there is no label slwo (did you mean "slow"?)`},
		"labels of no two":      {[]string{"run", "-l", "area=validation,feature=quiet"}, "no requirement matches --run"},
		"nothing claimed":       {[]string{"run", "--profile", "testdata/crashing.yaml", "-l", "feature=quiet"}, "feature quiet is not claimed"},
		"shard of no number":    {[]string{"run", "--shard", "x"}, "is not I/N"},
		"shard out of range":    {[]string{"run", "--shard", "3/2"}, "is not I/N"},
		"empty shard":           {[]string{"run", "--run", "^SH-001$", "--shard", "2/2"}, "no requirement matches --run"},
		"--parallel":            {[]string{"run", "--parallel", "-1"}, "--parallel is -1"},
		"--parallel 0":          {[]string{"run", "--parallel", "0"}, "--parallel is 0; give more, or leave it out"},
		"explore, --parallel 0": {[]string{"explore", "--parallel", "0"}, "--parallel is 0; give more, or leave it out"},
		"--max-time 0":          {[]string{"run", "--max-time", "0s"}, "--max-time is 0s; give more, or leave it out"},
		"--profile twice":       {[]string{"run", "--profile", "a.yaml", "--profile", "b.yaml"}, "--profile is given twice, as a.yaml and as b.yaml: give it once; see reconform run --help"},
		"--repeat":              {[]string{"run", "--repeat", "0"}, "--repeat is 0"},
		"--parallel, too many":  {[]string{"run", "--parallel", "1000000"}, "--parallel is 1000000; allowed: 1 to 1000"},
		"--repeat, too often":   {[]string{"run", "--repeat", "1001"}, "--repeat is 1001; allowed: 1 to 1000"},
		"--timeout-scale 1e18":  {[]string{"run", "--timeout-scale", "1e18"}, "--timeout-scale is 1e+18; allowed: 0.01 to 100"},
		"--timeout-scale 0":     {[]string{"run", "--timeout-scale", "0"}, "--timeout-scale is 0"},
		"--timeout-scale -1":    {[]string{"run", "--timeout-scale", "-1"}, "--timeout-scale is -1"},
		"--timeout-scale NaN":   {[]string{"run", "--timeout-scale", "NaN"}, "--timeout-scale is NaN"},
		"--timeout-scale Inf":   {[]string{"run", "--timeout-scale", "Inf"}, "--timeout-scale is +Inf"},
		"unknown profile":       {[]string{"run", "--profile", "referenz"}, `no profile "referenz"`},
		"no such profile":       {[]string{"run", "--profile", "testdata/absent.yaml"}, "no such file"},
		"endless profile":       {[]string{"run", "--profile", "/dev/zero"}, "reading profile /dev/zero: not a regular file"},
		"endless kubeconfig":    {[]string{"run", "--kubeconfig", "/dev/zero"}, "--kubeconfig: /dev/zero is not a regular file"},
		"profile with errors":   {[]string{"list", "--profile", "testdata/wrong.yaml"}, "testdata/wrong.yaml:7"},
		"program is missing":    {[]string{"run", "--profile", "testdata/missing.yaml"}, "testdata/missing.yaml:"},
		"CRD is missing":        {[]string{"run", "--profile", "testdata/missing.yaml"}, "absent-crd.yaml"},
		"context of nothing":    {[]string{"run", "--context", "x"}, "--context needs --kubeconfig: it names one of the contexts in that file"},
		"registry of nothing":   {[]string{"run", "--image-prefix", "r/t"}, "--image-prefix needs --kubeconfig: name the file of the cluster"},
		"CRDs of nothing":       {[]string{"run", "--replace-crds"}, "--replace-crds needs --kubeconfig: name the file of the cluster"},
		"sure of nothing":       {[]string{"run", "--yes-this-cluster"}, "--yes-this-cluster needs --kubeconfig: name the file of the cluster"},
		"checks without time":   {[]string{"lab", "check", "--timeout-scale", "0"}, "--timeout-scale is 0; allowed: 0.01 to 100"},
		"watch backwards":       {[]string{"lab", "watch", "--timeout-scale", "-1"}, "--timeout-scale is -1; allowed: 0.01 to 100"},
		"experiment without":    {[]string{"lab", "run", "--timeout-scale", "NaN"}, "--timeout-scale is NaN; allowed: 0.01 to 100"},
		"grades without time":   {[]string{"lab", "grade", "--timeout-scale", "0", dir}, "--timeout-scale is 0; allowed: 0.01 to 100"},
		"three to compare":      {[]string{"report", "--compare", "a", "b", "c"}, `unexpected argument "c": --compare takes two folders`},
		"profile of a list":     {[]string{"list", "-o", "markdown", "--profile", "reference"}, "--profile: -o markdown lists the requirements, and not what a profile claims"},
		"no such context":       {[]string{"run", "--kubeconfig", kubeconfig, "--context", "x"}, `has no context "x"; it has: kind-a`},
		"nothing to clean":      {[]string{"clean", "--kubeconfig", kubeconfig, "--context", "x"}, `has no context "x"; it has: kind-a`},
		"clean of what":         {[]string{"clean", "--kubeconfig", "main.go"}, "--kubeconfig: main.go is not a kubeconfig: give the file that kubectl uses"},
		"no such Kubernetes":    {[]string{"run", "--kubernetes", "1.20"}, `no control plane of Kubernetes "1.20"; there is: v1.34.4, `},
		"one of two unknown":    {[]string{"run", "--kubernetes", "1.36,latest"}, `no control plane of Kubernetes "latest"`},
		"Kubernetes twice":      {[]string{"run", "--kubernetes", "1.36,v1.36.3"}, "v1.36.3 is given twice"},
		"up of an old one":      {[]string{"up", "--kubernetes", "1.20"}, `no control plane of Kubernetes "1.20"`},
		"a cluster's version":   {[]string{"run", "--kubeconfig", kubeconfig, "--kubernetes", "1.36"}, "has a version of its own"},
		"versions as JSON":      {[]string{"run", "--kubernetes", "1.36,1.35", "-o", "json"}, "--output json: there is a report for each version"},
		"versions to keep":      {[]string{"run", "--kubernetes", "1.36,1.35", "--keep"}, "--keep: give one --kubernetes"},
		"versions again":        {[]string{"run", "--kubernetes", "1.36,1.35", "--rerun-failed"}, "--rerun-failed: give one --kubernetes"},
		"no such version":       {[]string{"run", "--kubernetes", "1.20"}, `error: --kubernetes: there is no control plane of Kubernetes "1.20"`},
		"a negative budget":     {[]string{"explore", "--profile", "reference", "--budget", "-5m"}, "error: --budget is -5m0s; give more, or leave it out\n"},
		"path of what":          {[]string{"assets", "path"}, "give the version of Kubernetes, as in: reconform assets path 1.35"},
		"path of an old one":    {[]string{"assets", "path", "1.20"}, `no control plane of Kubernetes "1.20"`},
		"no such kubeconfig":    {[]string{"run", "--kubeconfig", filepath.Join(dir, "absent")}, "absent: no such file or directory"},
		"--report-dir is empty": {[]string{"run", "--report-dir", ""}, "--report-dir is empty"},
		"--report-dir a file":   {[]string{"run", "--report-dir", file}, "not a directory"},
		"rerun without report":  {[]string{"run", "--rerun-failed", "--report-dir", dir}, "run once without --rerun-failed, or name the folder"},
		"list as what":          {[]string{"list", "-o", "xml"}, "--output xml is not table, wide, json or markdown"},
		"list as what, of what": {[]string{"list", "-o", "xml", "--profile", "referenz"}, "--output xml is not table, wide, json or markdown"},
		"explore what":          {[]string{"explore", "mine.yaml"}, `unexpected argument "mine.yaml": reconform explore takes none`},
		"run as what":           {[]string{"run", "-o", "xml"}, "--output xml is not text or json"},
		"merge as what":         {[]string{"merge", "-o", "yaml", dir}, "--output yaml is not text or json"},
		"report as what":        {[]string{"report", "-o", "", "--from", dir}, "--output is empty; give a value, or leave the flag out"},
		"list of nothing":       {[]string{"list", "--run", "^XX-999$"}, "no requirement matches --run"},
		"explain an area":       {[]string{"explain", "sd"}, "no requirement sd; there are: SD-001, SD-002, SD-003, SD-004, SD-005; reconform list -l 'area in (shutdown)' says what they ask for"},
		"run of an area":        {[]string{"run", "Shutdown"}, "no requirement Shutdown; there are: SD-001,"},
		"explain what":          {[]string{"explain", "XX-999"}, "no requirement XX-999; reconform list shows all"},
		"explain what of labs":  {[]string{"explain", "rest/look"}, "no check rest/look"},
		"explain nothing":       {[]string{"explain"}, "give the ID of a requirement, as in: reconform explain SH-001"},
		"merge nothing":         {[]string{"merge"}, "give the folders with the reports of the shards, as in: reconform merge reports/1 reports/2"},
		"scenarios nowhere":     {[]string{"run", "--scenarios", filepath.Join(dir, "absent")}, "absent: no such file or directory"},
		"scenarios in a file":   {[]string{"list", "--scenarios", file}, "--scenarios: " + file + " is not a folder"},
		"validate nothing":      {[]string{"validate"}, "give the profile, a file or the name of a built-in one, as in: reconform validate mine.yaml"},
		"validate two":          {[]string{"validate", "a.yaml", "b.yaml"}, `unexpected argument "b.yaml": reconform validate takes one, the profile`},
		"start no lab":          {[]string{"lab", "start"}, "give the number of a lab, or its name, as in: reconform lab start 03"},
		"check two labs":        {[]string{"lab", "check", "01", "02"}, `unexpected argument "02": reconform lab check takes at most one, a lab`},
		"merge what is absent":  {[]string{"merge", filepath.Join(dir, "absent")}, "there is no folder " + filepath.Join(dir, "absent")},
		"merge what is empty":   {[]string{"merge", dir}, "there is no report (conformance-report.yaml) in " + dir + ": name the folders"},
		"merge a file":          {[]string{"merge", file}, file + " is a file: name the folder"},
		"merge one twice":       {[]string{"merge", dir, dir + "/."}, "are the same folder"},
		"report from where":     {[]string{"report"}, "--from is missing"},
		"report from nowhere":   {[]string{"report", "--from", filepath.Join(dir, "absent")}, "--from: no report of an earlier run: there is no folder " + filepath.Join(dir, "absent") + "; name the folder"},
		"report from a file":    {[]string{"report", "--from", file}, "no report of an earlier run: " + file + " is a file, not a folder; name the folder"},
		"report, explored":      {[]string{"report", "--from", explored}, "there is no conformance-report.yaml in the folder " + explored + "; it has an exploration, with a page of its own, explore.html"},
		"report from no report": {[]string{"report", "--from", dir}, "there is no conformance-report.yaml in the folder " + dir},
		"render to where":       {[]string{"render"}, "--out is missing"},
		"render to a file":      {[]string{"render", "--out", file}, file + " is a file, not a folder: give another name"},
		"render over others":    {[]string{"render", "--out", dir}, "is not empty"},
		"up over others":        {[]string{"up", "--kubeconfig-out", file}, "exists"},
		"up to nowhere":         {[]string{"up", "--kubeconfig-out", filepath.Join(dir, "absent", "file")}, "cannot be written: there is no folder "},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.args[0] == "run" && !strings.Contains(strings.Join(tc.args, " "), "--report-dir") {
				tc.args = append(tc.args, "--report-dir", reports)
			}
			status, stdout, stderr := run(t, tc.args...)
			if status != statusUsage || !strings.HasPrefix(stderr, "error: ") || !strings.Contains(stderr, tc.want) {
				t.Errorf("status %d, want %d, and an error with %q:\n%s", status, statusUsage, tc.want, stderr)
			}
			if stdout != "" {
				t.Errorf("stdout has %q", stdout)
			}
		})
	}
	if _, err := os.Stat(reports); err == nil {
		t.Error("wrong usage made a folder for reports")
	}
}

func TestMissingAssets(t *testing.T) {
	// They are not in the environment's folder, nor in the tree around, nor beside the
	// binary.
	profile, err := filepath.Abs("testdata/crashing.yaml")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBEBUILDER_ASSETS", t.TempDir())
	t.Chdir(t.TempDir())
	status, _, stderr := run(t, "run", "--profile", profile, "--run", "^SH-001$")
	if status != statusInconclusive {
		t.Errorf("status %d, want %d", status, statusInconclusive)
	}
	for _, want := range []string{"(KUBEBUILDER_ASSETS) lacks etcd, kube-apiserver", "make assets"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("the error lacks %q:\n%s", want, stderr)
		}
	}
}

func TestAssetsOfAReleaseThatAreNone(t *testing.T) {
	profile, err := filepath.Abs("testdata/crashing.yaml")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write(make([]byte, 500)) // and then the connection ends
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "archive.tar.gz")
	if err := os.WriteFile(file, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	t.Setenv("RECONFORM_ASSETS_SHA256", strings.Repeat("5a", sha256.Size))
	for location, want := range map[string]string{
		file:       "by RECONFORM_ASSETS_SHA256 it should be 5a5a",
		server.URL: "cut after 500 bytes",
	} {
		t.Setenv("RECONFORM_ASSETS", location)
		status, _, stderr := run(t, "run", "--profile", profile, "--run", "^SH-001$", "--report-dir", t.TempDir())
		if status != statusInconclusive || !strings.Contains(stderr, want) {
			t.Errorf("status %d, want %d, and an error with %q:\n%s", status, statusInconclusive, want, stderr)
		}
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(caches, "reconform")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, error %v", left, err)
	}
}

func TestUnreachableCluster(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	const nobody = `{"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}], "users": [{"name": "u", "user": {}}],
		"clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}]}`
	if err := os.WriteFile(kubeconfig, []byte(nobody), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := run(t, "run", "SH-001", "--kubeconfig", kubeconfig, "--report-dir", t.TempDir())
	if status != statusInconclusive || !strings.Contains(stderr, "connection refused") || !strings.Contains(stderr, kubeconfig) {
		t.Errorf("status %d, want %d, and an error that names the file and why:\n%s", status, statusInconclusive, stderr)
	}
}

func TestListSelectsByShortLabels(t *testing.T) {
	for selector, want := range map[string]string{
		"area=validation":          "VA-001",
		"level=core":               "RC-001",
		"feature=service":          "SH-002",
		"reconform.dev/level=core": "RC-001",
	} {
		flags := selectionFlags{selector: selector}
		requirements, _, err := flags.requirements()
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, r := range requirements {
			found = found || r.ID == want
		}
		if !found {
			t.Errorf("-l %s selects %d requirements, and not %s", selector, len(requirements), want)
		}
	}
}

func TestShardsCoverAll(t *testing.T) {
	all, _, err := (&selectionFlags{}).requirements()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, value := range []string{"1/3", "2/3", "3/3"} {
		shard, err := shardOf(value)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range catalogue.In(*shard, all) {
			seen[r.ID]++
		}
	}
	for _, r := range all {
		if seen[r.ID] != 1 {
			t.Errorf("%s is in %d shards", r.ID, seen[r.ID])
		}
	}
}

// TestReportsOfOthers: files of others are not touched, and a second run in the same
// folder is refused at once.
func TestReportsOfOthers(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "logs", "mine.log")
	if err := os.Mkdir(filepath.Dir(mine), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	held := filepath.Join(t.TempDir(), "reports")
	other, err := folder.Hold(held)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Release()
	for path, want := range map[string]string{
		dir:  dir + " is not empty, and no marker says that it is Reconform's (it holds logs): name another folder, or remove this one",
		held: held + " is in use by another process",
	} {
		status, _, stderr := run(t, "run", "SH-001", "--report-dir", path)
		if status != statusUsage || stderr != "error: --report-dir: "+want+"\n" {
			t.Errorf("status %d, want %d, and an error that ends with %q:\n%s", status, statusUsage, want, stderr)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder of somebody else holds %v, %v", left, err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
}

package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"reconform.dev/reconform/internal/verdict"
)

// TestNoSecrets: the real tokens and keys of a run are in no file that it leaves, and
// in nothing that it prints. These are the keys of its control plane, and the tokens
// that a subject prints.
func TestNoSecrets(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	adoptOrphans(t)
	c := startCommand(t, "run --keep", "--profile", talkativeProfile(t), "--run", "^RC-001$", "--timeout-scale", "0.5", "-o", "json")
	c.await(t, "everything is kept up")
	keys := secretsBelow(t, c.path("tmp"))
	told := whatItTold(t, c)
	// The reports are there already, and the interruption does not change the verdict.
	c.checkEnd(t, syscall.SIGINT, false, verdict.ExitStatus(readReport(t, c.path("reports")).Verdict))
	files := filesBelow(t, c.path("reports"))
	files["stdout"], files["stderr"] = c.out.Bytes(), []byte(c.said())

	if len(keys) == 0 || len(told) != 3 {
		t.Fatalf("%d keys of the control plane, and %d secrets of the subject, want 3", len(keys), len(told))
	}
	for _, found := range search(files, slices.Concat(keys, told)) {
		t.Error(found)
	}
	// It did tell, everywhere.
	for name, want := range map[string]string{
		"logs/reconform-rc-001/subject-0.log": "(a token was left out)", "history.jsonl": "(a token was left out)",
		"conformance-report.yaml": "(a token was left out)", "report.html": "(a token was left out)", "stdout": "(a token was left out)",
		"summary.md": "(a token was left out)", "junit.xml": "(a token was left out)", "stderr": "(a token was left out)",
	} {
		if !bytes.Contains(files[name], []byte(want)) {
			t.Errorf("%s, of %d bytes, does not say that something was left out", name, len(files[name]))
		}
	}
	if !bytes.Contains(files["logs/reconform-rc-001/subject-0.log"], []byte("(a key was left out)")) {
		t.Error("the log does not say that a key was left out")
	}
	t.Logf("%d secrets, in none of %d files", len(keys)+len(told), len(files))
}

// talkativeProfile is the file of its profile.
func talkativeProfile(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/crashing.yaml")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	changed := replace(t, string(text), []string{
		`[/bin/sh, -c, "echo no database; exit 7"]`, fmt.Sprintf("[%q, %q]", self, talkativeArgument),
		"../../../controller/config/crd", root + "/controller/config/crd", "../../../controller/config/rbac", root + "/controller/config/rbac",
	})
	file := filepath.Join(t.TempDir(), "profile.yaml")
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSearch: the search finds every secret, also parts of it, and in each encoding.
func TestSearch(t *testing.T) {
	const (
		jwt = "eyJhbGciOiJSUzI1NiIsImtpZCI6IngifQ.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQifQ.c2lnbmF0dXJlLXRoYXQtaXMtbG9uZw"
		pem = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIBkg0Z9XGJ4dE3xQmJv5tP0bXW0n2o8yq1Zk3Vd7h6fDoAoGCCqGSM49\nAwEHoUQDQgAE\n-----END EC PRIVATE KEY-----"
	)
	body := strings.Split(pem, "\n")[1]
	for name, tc := range map[string]struct {
		text string
		want bool
	}{
		"nothing":          {"Bearer (a token was left out) and more", false},
		"another token":    {"eyJhbGciOiJFUzI1NiIsImtpZCI6InkifQ.eyJhdWQiOiJzb21lYm9keSBlbHNlIGVudGlyZWx5In0.YW5vdGhlciBzaWduYXR1cmUgYWx0b2dldGhlcg", true},
		"the token":        {"Bearer " + jwt, true},
		"its payload":      {strings.Split(jwt, ".")[1], true},
		"its signature":    {strings.Split(jwt, ".")[2], true},
		"the token again":  {base64.StdEncoding.EncodeToString([]byte(jwt)), true},
		"the key":          {pem, true},
		"the key, escaped": {strings.ReplaceAll(pem, "\n", `\n`), true},
		"a line of it":     {"xx " + body + " yy", true},
		"another key":      {"-----BEGIN PRIVATE KEY-----\nMIIE", true},
		"the key again":    {base64.StdEncoding.EncodeToString([]byte(pem)), true},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string][]byte{"a": []byte("nothing here"), "b": []byte("before " + tc.text + " after")}
			if found := search(files, []string{jwt, pem}); (len(found) > 0) != tc.want {
				t.Errorf("found %v, want that: %v", found, tc.want)
			}
		})
	}
}

// What looks like a secret, whosever it is.
var (
	anyToken = regexp.MustCompile(`eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)
	anyKey   = regexp.MustCompile(`(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?-----END [A-Z0-9 ]*PRIVATE KEY-----`)
)

// search files for secrets, whole, in part and encoded, and say where they are.
func search(files map[string][]byte, secrets []string) []string {
	var found []string
	for name, data := range files {
		for _, secret := range secrets {
			for _, part := range partsOf(secret) {
				if at := bytes.Index(data, []byte(part)); at >= 0 {
					found = append(found, fmt.Sprintf("%s has %.12s…, at byte %d", name, part, at))
				}
			}
		}
		if at := anyToken.FindIndex(data); at != nil {
			found = append(found, fmt.Sprintf("%s has what looks like a token, at byte %d", name, at[0]))
		}
		if at := bytes.Index(data, []byte("PRIVATE KEY-----")); at >= 0 {
			found = append(found, fmt.Sprintf("%s has what looks like a key, at byte %d", name, at))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// partsOf a secret, each of which gives away enough: the segments of a token, the lines of
// a key, and both in base64, as Secrets and kubeconfigs have them.
func partsOf(secret string) []string {
	parts := []string{secret}
	for _, part := range strings.FieldsFunc(secret, func(c rune) bool { return c == '.' || c == '\n' || c == '\r' }) {
		if len(part) >= 24 && !strings.HasPrefix(part, "-----") {
			parts = append(parts, part)
		}
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(secret))
	return append(parts, encoded[:len(encoded)-4]) // its end depends on what follows
}

// secretsBelow a folder are the private keys in its files, as they are or in base64.
func secretsBelow(t *testing.T, dir string) []string {
	t.Helper()
	var keys []string
	for _, data := range filesBelow(t, dir) {
		for _, key := range anyKey.FindAll(data, -1) {
			keys = append(keys, string(key))
		}
		for _, word := range bytes.Fields(data) {
			if plain, err := base64.StdEncoding.DecodeString(string(word)); err == nil && anyKey.Match(plain) {
				keys = append(keys, string(plain))
			}
		}
	}
	return keys
}

// filesBelow a folder that are no larger than an artefact, by their paths.
func filesBelow(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil // it is in use, and may go at any time
		}
		if info, err := entry.Info(); err != nil || info.Size() > 16<<20 {
			return nil
		}
		if data, err := os.ReadFile(path); err == nil {
			name, err := filepath.Rel(dir, path)
			files[filepath.ToSlash(name)] = data
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var keptKubeconfig = regexp.MustCompile(`everything is kept up until Ctrl\+C; KUBECONFIG=(\S+)`)

// whatItTold are the secrets of the subject, which it has put into an object.
func whatItTold(t *testing.T, c *command) []string {
	t.Helper()
	at := keptKubeconfig.FindStringSubmatch(c.said())
	if at == nil {
		t.Fatalf("it does not say where its kubeconfig is:\n%s", c.said())
	}
	config, err := clientcmd.BuildConfigFromFlags("", at[1])
	if err != nil {
		t.Fatal(err)
	}
	var leak *appsv1.Deployment
	if leak, err = kubernetes.NewForConfigOrDie(config).AppsV1().Deployments("reconform-rc-001").Get(t.Context(), leakName, metav1.GetOptions{}); err != nil {
		t.Fatalf("%v\n%s", err, c.said())
	}
	var told []string
	for _, name := range []string{"token", "kubeconfig", "key"} {
		if secret := leak.Annotations["example.com/"+name]; secret != "" {
			told = append(told, secret)
		}
	}
	return told
}

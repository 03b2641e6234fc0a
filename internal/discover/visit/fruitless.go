package visit

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/capture"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report/logline"
	"reconform.dev/reconform/internal/verdict/seen"
)

// Fruitless says why a visit shows nothing: the controller does not start, or does nothing.
type Fruitless struct {
	Reason string
	// Lease says how the declared Lease differs from the one that the controller asked for;
	// empty if it does not, or none is declared.
	Lease string
	// Log has the first and the last lines of its log; it is empty if the controller wrote
	// nothing.
	Log []string
}

func (e *Fruitless) Error() string {
	if len(e.Log) == 0 {
		return e.Reason + "; it wrote nothing"
	}
	return e.Reason + "; it wrote:\n    " + strings.Join(e.Log, "\n    ")
}

func (v *visitor) fruitless(format string, args ...any) error {
	account, log, lease := v.session.Recorder.Account(Namespace), v.log(), ""
	if v.Profile.Has(v1alpha1.FeatureLeaderElection) {
		lease = seen.LeaseProblem(v.Profile, account, v.record.Home)
	}
	return &Fruitless{Reason: fmt.Sprintf(format, args...) + refusals(account) + missingGroups(account) + missingPod(account, v.record.Home) + missingObjects(account) + outside(account) + unreached(account, log) + lacking(log, v.Profile.Spec.Launch), Lease: lease, Log: ends(log)}
}

// deletions says what the controller deleted. It returns "" if it deleted nothing.
func deletions(account history.Account) string {
	for _, q := range account.Requests {
		if q.Verb == history.VerbDelete && q.Effect == history.EffectEffective && !q.IsElection() {
			return fmt.Sprintf(": it deleted %s %s itself (#%d)", q.GroupResource(), q.Name, q.Seq)
		}
	}
	return ""
}

// missingPod says that the controller asked for a Pod in its own namespace that was not
// there, or for Pods with labels, which its own Pod does not have here. Otherwise it returns
// "".
func missingPod(account history.Account, home string) string {
	for _, q := range account.Requests {
		if labels := labelsAskedFor(q, home); labels != "" {
			return fmt.Sprintf("; it asked for Pods in its own namespace with the labels %s: if it looks for its own Pod, that one has no labels here. "+
				"Let it read its name from POD_NAME, which the bench sets", labels)
		}
		if q.Verb == history.VerbGet && q.Group == "" && q.Resource == "pods" && q.Namespace == home && q.Code == 404 && q.Fault == "" {
			return fmt.Sprintf("; there is no Pod %s in its own namespace: if that is to be its own Pod, give the name by a variable that ends with POD_NAME (--env, launch.env), "+
				"or let it read POD_NAME, which the bench sets", q.Name)
		}
	}
	return ""
}

// labelsAskedFor returns the label selector of a request that lists or watches Pods in the
// controller's own namespace.
func labelsAskedFor(q history.Request, home string) string {
	if q.Verb != history.VerbList && q.Verb != history.VerbWatch || q.Group != "" || q.Resource != "pods" || q.Namespace != home || q.Fault != "" {
		return ""
	}
	asked, err := url.Parse(q.Path)
	if err != nil {
		return ""
	}
	return asked.Query().Get("labelSelector")
}

// missingGroups names the API groups that the controller asked for, and the API server does
// not have. A controller may ask to find out whether they are there, so they are told only
// if a visit shows nothing.
func missingGroups(account history.Account) string {
	var missing []string
	for _, q := range account.Requests {
		parts := strings.Split(strings.Trim(strings.SplitN(q.Path, "?", 2)[0], "/"), "/")
		if len(parts) < 2 || parts[0] != "apis" || q.Code != 404 || q.Fault != "" || q.Name != "" || slices.Contains(missing, parts[1]) {
			continue
		}
		missing = append(missing, parts[1])
	}
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("; the API server does not have what it asked for in %s: if it needs that, give the CRDs with --crd", strings.Join(missing, ", "))
}

// outside names what the controller looked for in namespaces that it does not see, such as a
// ConfigMap in kube-system. It returns "" if there is nothing.
func outside(account history.Account) string {
	var all []string
	for _, q := range account.Requests {
		what := q.GroupResource().String() + " in namespace " + q.Namespace
		if strings.HasSuffix(q.Note, history.NoteOutOfScope) && !slices.Contains(all, what) {
			all = append(all, what)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return fmt.Sprintf("; it looked for %s, and sees only its own namespace and those that it serves: "+
		"if it needs that, switch it off by a flag or a variable of the controller", strings.Join(all, ", "))
}

// missingObjects names Secrets and ConfigMaps that the controller asked for, and that were never
// there: it may wait for them. Those that are named after an object of the look are left out, because
// the controller may want to make them. It returns "" if there are none.
func missingObjects(account history.Account) string {
	const most = 3
	var missing []string
	there := map[string]bool{}
	for _, q := range account.Requests {
		if q.Group != "" || q.Resource != "secrets" && q.Resource != "configmaps" || q.Name == "" || q.Fault != "" || strings.Contains(q.Name, "-look") {
			continue
		}
		name := map[string]string{"secrets": "Secret ", "configmaps": "ConfigMap "}[q.Resource] + q.Name
		there[name] = there[name] || q.Succeeded()
		if q.Verb == history.VerbGet && q.Code == 404 && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	missing = slices.DeleteFunc(missing, func(name string) bool { return there[name] })
	if len(missing) == 0 {
		return ""
	}
	return fmt.Sprintf("; it asked for %s, and nothing of that name was there: if it needs that, give it in the file of the sample", strings.Join(missing[:min(most, len(missing))], ", "))
}

// unreached says how a controller gets the kubeconfig that it speaks of, if it asked for nothing.
func unreached(account history.Account, lines []string) string {
	if len(account.Requests) > 0 || !slices.ContainsFunc(lines, ofKubeconfig.MatchString) {
		return ""
	}
	return "; it asked the API server for nothing: the variable KUBECONFIG has the path of its kubeconfig. If it wants the path elsewhere, write {{ .kubeconfig }} there: " +
		"in a flag, as in --kubeconfig={{ .kubeconfig }}, or in a variable (--env, launch.env)"
}

// needed returns the folder that must be readable for a file to be of use: its own. A program below
// a hidden folder, such as ~/.pyenv, ~/.nvm or ~/.asdf, needs others that are there, too.
func needed(path string, found os.FileInfo) string {
	if found.IsDir() {
		return path
	}
	if found.Mode().Perm()&0o111 != 0 {
		if at := strings.Index(path, "/."); at >= 0 {
			hidden, _, _ := strings.Cut(path[at+1:], "/")
			return path[:at+1] + hidden
		}
	}
	return filepath.Dir(path)
}

// lacking says what a controller needs that was started like this and wrote these lines, if
// a line shows it.
func lacking(lines []string, started v1alpha1.Launch) string {
	if slices.ContainsFunc(lines, noCertificate.MatchString) {
		return "; it serves webhooks, and does not find their certificate: give their configurations by --webhooks (the conversion of a CRD needs none), " +
			"and, if it does not look in /tmp/k8s-webhook-server/serving-certs, {{ .certificates }} in the command as the folder of the certificate, " +
			"or switch the webhooks off by a flag or a variable of the controller"
	}
	for _, line := range lines {
		at := notRead.FindStringIndex(line)
		if at == nil {
			continue
		}
		for _, argument := range started.Command {
			file := argument[strings.LastIndex(argument, "=")+1:]
			if started.Directory == "" && strings.Contains(file, ".") && !filepath.IsAbs(file) && strings.Contains(line, file) {
				return fmt.Sprintf("; it does not find %s of its command, as it is started in an empty folder: --directory (launch.directory) names another, which it may read", file)
			}
		}
		// Most programs say the path before the reason, and their own name before both.
		paths := inLine.FindAllString(line[:at[0]], -1)
		slices.Reverse(paths)
		for _, path := range append(paths, inLine.FindAllString(line[at[1]:], -1)...) {
			if path == started.Command[0] || strings.HasPrefix(path, "/usr/") {
				continue // it may read this
			}
			if found, err := os.Stat(path); err == nil {
				return fmt.Sprintf("; it did not find %s, or may not read it, and it is there: --readable %s (launch.readable) lets it", path, needed(path, found))
			}
		}
		const modules = "if what it did not find is there, such as a virtual environment or modules, name its folder by --readable (launch.readable)"
		if started.Directory == "" {
			return "; it is started in an empty folder, and may not read every other: if it must be started in the folder of its files, name that by --directory " +
				"(launch.directory); " + modules
		}
		return "; it may not read every folder: " + modules
	}
	return ""
}

// ends returns the first and the last lines, without empty ones and the frames of stacks, and
// equal ones once. A program that does not know an argument says so first, and then lists the arguments
// that it knows.
func ends(lines []string) []string {
	const few = 5
	lines = capture.WithoutStack(lines)
	lines = logline.InWords(slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" }))
	if len(lines) <= 2*few {
		return lines
	}
	between := fmt.Sprintf("… %d lines …", len(lines)-2*few)
	return slices.Concat(lines[:few], []string{between}, lines[len(lines)-few:])
}

// refusals returns the requests that were refused, in words.
func refusals(account history.Account) string {
	const most = 3
	var words []string
	known := map[string]bool{}
	for _, q := range account.Requests {
		text := fmt.Sprintf("%s %s: %d %s", q.Verb, q.Path, q.Code, q.Message)
		if q.Failed() && q.Code != 404 && q.Code != 409 && q.Fault == "" && !known[text] && len(words) < most {
			known[text] = true
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; requests that were refused: " + strings.Join(words, "; ")
}

// noCertificate matches what a program says that does not find the certificate of its
// webhooks.
var noCertificate = regexp.MustCompile(`(?:tls\.(?:crt|key)|serving-certs\S*): no such file`)

// ofKubeconfig matches what a program says that has found no way to the API server.
var ofKubeconfig = regexp.MustCompile(`(?i)kube[-_. ]?config|(?:cluster|master|api-?server|k8s)[-_. ]?(?:config|url|address)|in-?cluster|KUBERNETES_`)

// notRead matches lines that say what a program could not read, and where.
var notRead = regexp.MustCompile(`(?i)no such file or directory|permission denied|cannot find (?:module|package)|module ?not ?found|no module named`)

// inLine matches an absolute path in a line of a log.
var inLine = regexp.MustCompile(`/[\w.@+/-]*[\w@+]`)

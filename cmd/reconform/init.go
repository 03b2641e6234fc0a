package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/discover/draft"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/discover/visit"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
)

type initFlags struct {
	crds       []string
	sample     string
	rbac       []string
	account    string
	values     []string
	webhooks   string
	hookPort   int32
	directory  string
	env        []string
	writes     []string
	out        string
	kubernetes string
	unconfined bool
}

func newInitCommand() *cobra.Command {
	var flags initFlags
	cmd := &cobra.Command{
		Use:   "init --crd FILE --sample FILE [--rbac DIR]… [--out FILE] -- COMMAND [ARGS…]",
		Short: "Write a profile by looking at what a controller does",
		Long: `Start a controller once on the bench, create the sample, change each of its fields,
delete it, make trouble, end the process, and write a profile from what was seen. Each
line of it says how it is known. It takes one or two minutes. Where the controller makes
nothing with a Pod template, the profile has no contract: it says what the controller
serves, and which changes it acts on.

The command is given as on a terminal. Where it serves metrics and probes, give the flags
with ports of your choice (--metrics-bind-address=127.0.0.1:8080); where it elects a
leader, give the flag for that. The templates of launch.command are allowed: where a flag
names the namespace of its Lease, give it {{ .namespace }}. Any other {{ … }} is passed on as
it is. It runs in a folder of its own:
a program that reads others beside it needs --directory. It gets no variable but those
of --env.

Manifests are given as they are shipped: a file with everything in it, of which each flag
takes what is its own, a folder, a kustomization, or a Helm chart.

Webhooks are named by --webhooks. The flag for their certificate, tls.crt and tls.key in a
folder, takes {{ .certificates }}. Without --webhooks they are to be switched off.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args) },
	}
	cmd.Flags().StringArrayVar(&flags.crds, "crd", nil, "`FILE` or folder with the CRD, or with another that must be there; repeat it for more")
	cmd.Flags().StringVar(&flags.sample, "sample", "", "`FILE` with an object, and what it needs beside")
	cmd.Flags().StringArrayVar(&flags.rbac, "rbac", nil, "`DIR` or file with its roles and their bindings; repeat it for more; left out: a role is made of what it asks for")
	cmd.Flags().StringVar(&flags.account, "service-account", "", "`NAME` or NAMESPACE/NAME that it runs as, where the bindings of --rbac are for several")
	cmd.Flags().StringArrayVar(&flags.values, "values", nil, "`FILE` with values of a Helm chart that is named by --crd, --rbac, --webhooks or --sample; repeat it for more")
	cmd.Flags().StringVar(&flags.webhooks, "webhooks", "", "`FILE` or folder with the configurations of its webhooks")
	cmd.Flags().Int32Var(&flags.hookPort, "webhook-port", 9443, "`PORT` at which it serves them")
	cmd.Flags().StringVar(&flags.directory, "directory", "", "`DIR` that it is started in and may read, for a program in several files; left out: a scratch one")
	cmd.Flags().StringArrayVar(&flags.env, "env", nil, "`NAME=VALUE` of a variable that it is started with; repeat it for more")
	cmd.Flags().StringArrayVar(&flags.writes, "cluster-writes", nil, "`RESOURCE.GROUP` that it writes itself, though it is cluster-scoped; repeat it for more")
	cmd.Flags().StringVar(&flags.out, "out", "profile.yaml", "`FILE` to write")
	kubernetesFlag(cmd, &flags.kubernetes)
	unconfinedFlag(cmd, &flags.unconfined)
	for _, flag := range []string{"crd", "sample", "webhooks", "values", "out"} {
		complete(cmd, flag, manifests)
	}
	complete(cmd, "rbac", folders)
	complete(cmd, "directory", folders)
	return cmd
}

func (f *initFlags) run(cmd *cobra.Command, command []string) (err error) {
	if err := f.check(cmd, command); err != nil {
		return err
	}
	given, err := visit.Read(f.crds, f.sample, f.values, command)
	if err != nil {
		return err
	}
	if given.Env, err = variables(f.env); err != nil {
		return err
	}
	work, err := folder.Temporary("init-")
	if err != nil {
		return benchError{err}
	}
	defer func() { err = errors.Join(err, work.Remove()) }()

	place := visit.Place{
		Profile: f.out, CRDs: f.crds, RBAC: f.rbac, Values: f.values, ServiceAccount: f.account, ClusterWrites: f.writes,
		Webhooks: f.webhooks, WebhookPort: f.hookPort, Directory: f.directory,
	}
	if len(f.rbac) == 0 {
		everything := filepath.Join(work.Path(), "all-rights.yaml")
		place.RBAC = []string{everything}
		if err := os.WriteFile(everything, []byte(allRights), 0o600); err != nil {
			return benchError{fmt.Errorf("writing a role: %w", err)}
		}
	}
	screen := report.NewConsole(cmd.ErrOrStderr())
	defer screen.Close()
	record, err := f.look(cmd.Context(), given, &place, work.Path(), screen)
	if err != nil {
		return err
	}
	if webhook := record.Webhook; webhook != nil && webhook.Problem != "" {
		return fmt.Errorf("--webhook-port %d: %s; a flag of the command must name the folder of the certificate, {{ .certificates }}",
			webhook.Port, webhook.Problem)
	}
	return f.write(cmd, given, place, record)
}

// variables returns variables by name, as in a profile.
func variables(given []string) (map[string]string, error) {
	env := map[string]string{}
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--env: %q is not NAME=VALUE", text)
		}
		env[name] = profile.EscapeCommand(value)
	}
	return env, nil
}

// allRights is the role for a first look at a controller whose own role is not known.
const allRights = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: all}
rules:
- {apiGroups: ["*"], resources: ["*"], verbs: ["*"]}
- {nonResourceURLs: ["*"], verbs: ["*"]}
`

// check checks the flags.
func (f *initFlags) check(cmd *cobra.Command, command []string) error {
	switch {
	case len(f.crds) == 0:
		return errors.New("--crd is missing: name the file with the CRD")
	case f.sample == "":
		return errors.New("--sample is missing: name a file with an object of the CRD")
	case f.account != "" && len(f.rbac) == 0:
		return errors.New("--service-account needs --rbac: it names one of the ServiceAccounts that these manifests bind")
	case len(command) == 0 || cmd.ArgsLenAtDash() != 0:
		return errors.New("the command is missing: give it behind --, as in: reconform init --crd FILE --sample FILE -- bin/manager --leader-elect")
	}
	for _, resource := range f.writes {
		if problem := clusterWrite(resource); problem != "" {
			return fmt.Errorf("--cluster-writes: %q %s", resource, problem)
		}
	}
	for _, file := range []string{f.out, f.roleFile(), f.beside("-setup.yaml")} {
		if _, err := os.Stat(file); err == nil && (file != f.roleFile() || len(f.rbac) == 0) {
			return fmt.Errorf("%s exists: name another file with --out, or remove it", file)
		}
	}
	if info, err := os.Stat(filepath.Dir(f.out)); err != nil || !info.IsDir() {
		return fmt.Errorf("--out: %s is no folder", filepath.Dir(f.out))
	}
	return nil
}

// clusterWrite says why the controller cannot be allowed to write a resource, or returns
// "".
func clusterWrite(resource string) string {
	name, _, _ := strings.Cut(resource, ".")
	switch {
	case resource == "namespaces":
		return "are the bench's: no controller may write them"
	case len(validation.IsDNS1123Subdomain(resource)) > 0 || name != resource && len(validation.IsDNS1035Label(name)) > 0:
		return "is no resource: write its plural and its group in lower case, such as clusterroles.rbac.authorization.k8s.io"
	}
	return ""
}

// roleFile returns the file for a role that is made from the requests.
func (f *initFlags) roleFile() string { return f.beside("-rbac.yaml") }

// beside returns a file in the folder of the profile, with its name and another ending.
func (f *initFlags) beside(ending string) string {
	return strings.TrimSuffix(f.out, filepath.Ext(f.out)) + ending
}

// manifestsOf returns objects in one file.
func manifestsOf(objects []*unstructured.Unstructured) ([]byte, error) {
	text := "# Written by reconform init: what came with the sample.\n"
	for _, object := range objects {
		manifest, err := yaml.Marshal(object.Object)
		if err != nil {
			return nil, fmt.Errorf("writing %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		text += "---\n" + string(manifest)
	}
	return []byte(text), nil
}

// look looks at the controller. If the controller turns out to live in another namespace,
// it looks once more.
func (f *initFlags) look(ctx context.Context, given *visit.Given, place *visit.Place, dir string, screen *report.Console) (*infer.Record, error) {
	for {
		record, err := f.lookOnce(ctx, given, *place, dir, screen)
		var (
			elsewhere *visit.Elsewhere
			atHome    *visit.AtHome
			barred    *visit.Barred
			fruitless *visit.Fruitless
		)
		switch {
		case errors.As(err, &barred) && !slices.Contains(place.ClusterWrites, barred.Resources[0]):
			screen.Printf("%v: looking again, with --cluster-writes %s", err, strings.Join(barred.Resources, " --cluster-writes "))
			place.ClusterWrites = append(slices.Clone(place.ClusterWrites), barred.Resources...)
		case errors.As(err, &elsewhere) && place.Lease == nil:
			screen.Printf("%v, which all scenarios would share: looking again. Where a flag names the namespace, give it {{ .namespace }}", err)
			place.Lease = &elsewhere.Lease
		case errors.As(err, &atHome) && !place.AtHome:
			screen.Printf("%v: looking again, with both in one. Where a flag names what it serves, give it {{ .served }}", err)
			place.AtHome = true
		case errors.As(err, &fruitless):
			return nil, benchError{fmt.Errorf("looking at %s: %w", given.Command[0], err)}
		default:
			return record, err
		}
	}
}

func (f *initFlags) lookOnce(ctx context.Context, given *visit.Given, place visit.Place, dir string, screen *report.Console) (_ *infer.Record, err error) {
	p, err := given.Draft(place)
	if err != nil {
		return nil, err
	}
	return lookAt(ctx, p, given.Plan(p, screen), runner.SessionOptions{
		Profile: p, Kubernetes: f.kubernetes, Dir: dir, TimeoutScale: 1, Console: screen, Unconfined: f.unconfined,
	})
}

// lookAt looks at the controller of a profile, on its own bench.
func lookAt(ctx context.Context, p *profile.Profile, plan visit.Plan, options runner.SessionOptions) (_ *infer.Record, err error) {
	session, err := runner.OpenSession(ctx, options)
	if err != nil {
		return nil, benchError{err}
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	record, err := visit.Look(ctx, session, plan)
	var (
		refused   *visit.Refused
		elsewhere *visit.Elsewhere
		atHome    *visit.AtHome
		barred    *visit.Barred
		fruitless *visit.Fruitless
	)
	if err == nil || errors.As(err, &refused) || errors.As(err, &barred) || errors.As(err, &elsewhere) || errors.As(err, &atHome) || errors.As(err, &fruitless) {
		return record, err
	}
	return nil, benchError{err}
}

// write writes the profile, and a role if none was given.
func (f *initFlags) write(cmd *cobra.Command, given *visit.Given, place visit.Place, record *infer.Record) error {
	found, err := infer.Find(record)
	if err != nil {
		return benchError{err}
	}
	files := map[string][]byte{}
	if len(f.rbac) == 0 {
		place.RBAC = []string{f.roleFile()}
		role, err := yaml.Marshal(record.Role(filepath.Base(given.Command[0])))
		if err != nil {
			return benchError{fmt.Errorf("writing a role: %w", err)}
		}
		files[f.roleFile()] = append([]byte("# Written by reconform init: the rights that were seen to be used, and those that\n# belong to them. Give its own roles with --rbac, and the requirements judge these.\n"), role...)
		found.Notes["install.rbac"] = infer.Note{Basis: infer.Seen, Text: "made of what it asked for; its own roles are better"}
	}
	if setup := given.Setup(found); len(setup) > 0 {
		place.Setup = f.beside("-setup.yaml")
		if files[place.Setup], err = manifestsOf(setup); err != nil {
			return benchError{err}
		}
		found.Notes["install.setup"] = infer.Note{Basis: infer.Read, Text: "what came with the sample"}
	}
	if err := given.AddBeside(&found.Spec); err != nil {
		return benchError{err}
	}
	if err := given.Install(&found.Spec, place); err != nil {
		return err
	}
	if len(given.NamespaceLabels) > 0 && len(found.Spec.Serves) == 0 {
		found.Notes["contract.namespaceLabels"] = infer.Note{Basis: infer.Read, Text: "the Namespace that came with the sample has them: leave out what is not needed"}
	}
	if place.AtHome {
		found.Notes["install.inServedNamespace"] = infer.Note{Basis: infer.Seen, Text: "it asked for its objects there, and nowhere else"}
	}
	if len(place.ClusterWrites) > len(f.writes) {
		found.Notes["install.clusterWrites"] = infer.Note{Basis: infer.Seen, Text: "it writes these, and its roles allow it"}
	}
	if len(place.ClusterWrites) > 0 {
		record.FindSharing(found, place.ClusterWrites)
	}
	name := profile.NameFor(found.Spec.Implementation.Name)
	if files[f.out], err = draft.Write(name, found); err != nil {
		return benchError{err}
	}
	for file, data := range files {
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return benchError{fmt.Errorf("writing %s: %w", file, err)}
		}
	}
	if _, err := profile.Parse(f.out, files[f.out]); err != nil {
		return benchError{fmt.Errorf("wrote %s, which is no profile yet; mend these lines: %w", f.out, err)}
	}
	out := cmd.OutOrStdout()
	fmt.Fprint(out, findingsInWords(f.out, found, widthOf(out)))
	return nil
}

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/discover"
	"reconform.dev/reconform/internal/discover/visit"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/profile/manifest"
	"reconform.dev/reconform/internal/report"
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
	readable   []string
	env        []string
	writes     []string
	out        string
	maxTime    time.Duration
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
line of it says how it is known. It takes about a minute. If the controller makes nothing
with a Pod template, the profile has no contract: it says what the controller serves, and
which changes it acts on.

Give the command as on a terminal. If the controller serves metrics and probes, give the
flags for them, with any ports (--metrics-bind-address=127.0.0.1:8080). If it elects a
leader, give the flag for that. If a flag names the namespace of its Lease, write
{{ .namespace }} there. Other templates of launch.command are allowed, too; docs/profile.md
lists them. What is no such template is passed on as it is.

The controller is started in an empty folder. If the command names a file of the folder that
you are in, such as a script, it is started in that folder, and may read it. --directory
names another one, and --readable a further one, such as a virtual environment. It gets only
the environment variables of --env.

Give the manifests as you ship them: a file with everything in it, a folder, a
kustomization or a Helm chart. Each flag takes what it needs from it.

If the controller serves webhooks, give their configurations by --webhooks. It needs none if
it only converts, as the CRD says. In the command, write {{ .certificates }} as the folder that
has their certificate, tls.crt and tls.key. It is the one in which controller-runtime looks
without a flag. Otherwise switch the webhooks off.

Exit status: 0, 2 for wrong usage, or 3 if the bench failed.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args) },
	}
	cmd.Flags().StringArrayVar(&flags.crds, "crd", nil, "`FILE` or folder with the CRD, or with another that must be there; repeat it for more")
	cmd.Flags().StringVar(&flags.sample, "sample", "", "`FILE` with an object, and what it needs beside")
	cmd.Flags().StringArrayVar(&flags.rbac, "rbac", nil, "`DIR` or file with its roles and their bindings; repeat it for more; left out: a role is made of what it asks for")
	cmd.Flags().StringVar(&flags.account, "service-account", "", "`NAME` or NAMESPACE/NAME that it runs as, if the bindings of --rbac are for several")
	cmd.Flags().StringArrayVar(&flags.values, "values", nil, "`FILE` with values of a Helm chart that is named by --crd, --rbac, --webhooks or --sample; repeat it for more")
	cmd.Flags().StringVar(&flags.webhooks, "webhooks", "", "`FILE` or folder with the configurations of its webhooks")
	cmd.Flags().Int32Var(&flags.hookPort, "webhook-port", 9443, "`PORT` at which it serves them")
	cmd.Flags().StringVar(&flags.directory, "directory", "", "`DIR` that it is started in and may read, for a program in several files; left out: this one if the command names a file of it, else an empty one")
	cmd.Flags().StringArrayVar(&flags.readable, "readable", nil, "another `DIR` that it may read, such as a virtual environment or modules; repeat it for more")
	cmd.Flags().StringArrayVar(&flags.env, "env", nil, "`NAME=VALUE` of a variable that it is started with; repeat it for more")
	cmd.Flags().StringArrayVar(&flags.writes, "cluster-writes", nil, "`RESOURCE.GROUP` that it writes itself, though it is cluster-scoped; repeat it for more")
	cmd.Flags().StringVar(&flags.out, "out", "profile.yaml", "`FILE` to write")
	cmd.Flags().DurationVar(&flags.maxTime, "max-time", 0, "stop looking after this `TIME`, as in 4m, write the profile, and name what was not tried")
	kubernetesFlag(cmd, &flags.kubernetes)
	unconfinedFlag(cmd, &flags.unconfined)
	for _, flag := range []string{"crd", "sample", "webhooks", "values", "out"} {
		complete(cmd, flag, manifests)
	}
	complete(cmd, "rbac", folders)
	complete(cmd, "directory", folders)
	complete(cmd, "readable", folders)
	return cmd
}

func (f *initFlags) run(cmd *cobra.Command, command []string) error {
	if err := f.check(cmd, command); err != nil {
		return err
	}
	env, err := variables(f.env)
	if err != nil {
		return err
	}
	screen := report.NewConsole(cmd.ErrOrStderr())
	defer screen.Close()
	request := f.request()
	request.Command, request.Env, request.Console = command, env, screen
	found, err := discover.Init(cmd.Context(), request)
	var unwritten *discover.Unwritten
	if errors.As(err, &unwritten) {
		fmt.Fprint(cmd.OutOrStdout(), unwritten.Text())
		return ours(fmt.Errorf("%w: what should stand there is printed above", err))
	}
	if err != nil {
		return ours(err)
	}
	expected, err := outlookOf(f.out)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	expected.kubernetes = f.kubernetes
	fmt.Fprint(out, findingsInWords(f.out, found, expected, widthOf(out)))
	return nil
}

// request returns what the flags ask for.
func (f *initFlags) request() discover.Request {
	return discover.Request{
		Place: visit.Place{
			Profile: f.out, CRDs: f.crds, RBAC: f.rbac, Values: f.values, ServiceAccount: f.account, ClusterWrites: f.writes,
			Webhooks: f.webhooks, WebhookPort: f.hookPort, Directory: f.directory, Readable: f.readable,
		},
		Sample: f.sample, Kubernetes: f.kubernetes, MaxTime: f.maxTime, Unconfined: f.unconfined,
	}
}

// ours returns an error that is told as our own if it is one.
func ours(err error) error {
	var failure *discover.Failure
	switch {
	case !errors.As(err, &failure):
		return err
	case err == failure:
		return benchError{failure.Err}
	default:
		return benchError{err}
	}
}

// variables returns variables by name, as in a profile.
func variables(given []string) (map[string]string, error) {
	env := map[string]string{}
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--env: %q is not NAME=VALUE", text)
		}
		if other, twice := env[name]; twice && other != profile.EscapeCommand(value) {
			return nil, fmt.Errorf("--env: %s is given twice, with different values: give it once", name)
		}
		env[name] = profile.EscapeCommand(value)
	}
	return env, nil
}

// check checks the flags.
func (f *initFlags) check(cmd *cobra.Command, command []string) error {
	if err := errors.Join(f.missing(cmd, command), aboveZero(cmd, "max-time")); err != nil {
		return err
	}
	switch {
	case f.out == "-":
		return errors.New("--out is -, the standard output: a profile stands in a file, because its paths are relative to its folder: name one")
	case !profile.IsFile(f.out):
		return fmt.Errorf("--out %s: the name of a profile's file ends in .yaml or .yml, or has a slash, as in %[1]s.yaml", f.out)
	case f.hookPort < 1 || f.hookPort > 65535:
		return fmt.Errorf("--webhook-port is %d; give the port at which the controller serves its webhooks, 1 to 65535", f.hookPort)
	case f.account != "" && len(f.rbac) == 0:
		return errors.New("--service-account needs --rbac: it names one of the ServiceAccounts that these manifests bind")
	}
	for _, resource := range f.writes {
		if problem := profile.NoClusterWrite(resource); problem != "" {
			return fmt.Errorf("--cluster-writes: %q %s", resource, problem)
		}
	}
	request := f.request()
	for _, file := range []string{f.out, request.RoleFile(), request.SetupFile()} {
		if _, err := os.Stat(file); err == nil && (file != request.RoleFile() || len(f.rbac) == 0) {
			return fmt.Errorf("%s exists: name another file with --out, or remove it", file)
		}
	}
	if err := checkFolderOf(f.out); err != nil { // a look takes minutes
		return fmt.Errorf("--out %s: %w", f.out, err)
	}
	return nil
}

// missing says all that is missing: flags, files that they name, and the command.
func (f *initFlags) missing(cmd *cobra.Command, command []string) error {
	var missing []error
	if len(f.crds) == 0 {
		missing = append(missing, errors.New("--crd is missing: name the file with the CRD"))
	}
	if f.sample == "" {
		missing = append(missing, errors.New("--sample is missing: name a file with an object of the CRD"))
	}
	for _, given := range []struct {
		flag  string
		files []string
	}{{"crd", f.crds}, {"sample", []string{f.sample}}, {"rbac", f.rbac}, {"webhooks", []string{f.webhooks}}, {"values", f.values}} {
		for _, file := range given.files {
			if file == "" {
				continue
			}
			if err := manifest.CheckThere(file); err != nil {
				missing = append(missing, fmt.Errorf("--%s: %w", given.flag, err))
			}
		}
	}
	if len(command) == 0 || cmd.ArgsLenAtDash() != 0 {
		missing = append(missing, errors.New("the command is missing: give it behind --, as in: reconform init --crd FILE --sample FILE -- bin/manager --leader-elect"))
	}
	return errors.Join(missing...)
}

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/envtest/release"
)

func newAssetsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "assets",
		Short: "List, get and remove the binaries of the control plane, by Kubernetes version",
		Long: `The binaries of a control plane: etcd, kube-apiserver, kube-controller-manager,
kube-scheduler, kubectl and kwok, in one folder for each version of Kubernetes. They are
built by make assets (make assets KUBERNETES=1.35), or unpacked from the archive of a
release.`,
		Args: subcommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newAssetsListCommand(), newAssetsGetCommand(), newAssetsPathCommand(), newAssetsRemoveCommand())
	return cmd
}

func newAssetsListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the versions of Kubernetes, and the folders of their binaries",
		Args:  none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
			fmt.Fprintln(table, "VERSION\tFROM\tSIZE\tFOLDER")
			for _, version := range envtest.Versions() {
				found, err := envtest.Find(cmd.Context(), version)
				if err != nil {
					return err
				}
				if len(found) == 0 {
					fmt.Fprintf(table, "%s\t-\t-\tnot here\n", version)
				}
				for _, at := range found {
					fmt.Fprintf(table, "%s\t%s\t%d MB\t%s\n", version, at.Source, at.Bytes>>20, at.Dir)
				}
			}
			return table.Flush()
		},
	}
}

func newAssetsGetCommand() *cobra.Command {
	var archive release.Archive
	cmd := &cobra.Command{
		Use:   "get VERSION",
		Short: "Unpack a version from the archive of a release",
		Long: `Unpack the binaries of a version into the user's caches, from the archive of --from or
of RECONFORM_ASSETS, a file or a URL. If they are there already, nothing is done. The
folder is printed.`,
		Example: `  reconform assets get 1.35 --from kubernetes-v1.35.4-linux-amd64.tar.gz
  reconform run --kubernetes 1.35`,
		Args:              one("the version of Kubernetes", "1.35"),
		ValidArgsFunction: versions,
		RunE: func(cmd *cobra.Command, args []string) error {
			version, err := envtest.ParseVersion(args[0])
			if err != nil {
				return err
			}
			if archive.SHA256 != "" {
				archive.SHA256From = "--sha256"
			}
			if archive.Location != "" {
				archive.LocationFrom, archive.SHA256From = "--from", "--sha256"
			} else if fromEnvironment := release.FromEnvironment(nil); fromEnvironment != nil {
				archive.Location = fromEnvironment.Location
				archive.SHA256 = cmp.Or(archive.SHA256, fromEnvironment.SHA256)
			}
			archive.Progress = func(text string) { fmt.Fprintf(cmd.ErrOrStderr(), "  %s\n", text) }
			return getAssets(cmd, version, &archive)
		},
	}
	cmd.Flags().StringVar(&archive.Location, "from", "", "`FILE` or URL of the archive; without it, "+release.LocationVariable)
	cmd.Flags().StringVar(&archive.SHA256, "sha256", "", "`SUM` that the archive must have; without it, the one in SHA256SUMS beside the archive")
	complete(cmd, "from", cobra.FixedCompletions([]string{"tar.gz"}, cobra.ShellCompDirectiveFilterFileExt))
	return cmd
}

func getAssets(cmd *cobra.Command, version string, archive *release.Archive) error {
	found, err := envtest.Find(cmd.Context(), version)
	switch {
	case err != nil:
		return err
	case len(found) > 0:
		fmt.Fprintln(cmd.OutOrStdout(), found[0].Dir)
		return nil
	case archive.Location == "":
		return fmt.Errorf("where from? Give the archive of a release with --from, or build it in Reconform's repository: %s", envtest.BuildCommand(version))
	}
	dir, err := envtest.Install(cmd.Context(), version, archive)
	switch {
	case archive.LocationFrom == "--from" && errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		return benchError{err}
	}
	fmt.Fprintln(cmd.OutOrStdout(), dir)
	return nil
}

func newAssetsPathCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "path VERSION",
		Short:             "Print the folder of a version, for KUBEBUILDER_ASSETS or PATH",
		Example:           `  export KUBEBUILDER_ASSETS=$(reconform assets path 1.35)`,
		Args:              one("the version of Kubernetes", "1.35"),
		ValidArgsFunction: versions,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := findAssets(cmd, args[0])
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), found[0].Dir)
			return nil
		},
	}
}

func newAssetsRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "remove VERSION",
		Short: "Remove the binaries of a version from this machine",
		Long: `Remove each folder with the binaries of a version, except one that KUBEBUILDER_ASSETS names,
and one that a control plane runs from.`,
		Args:              one("the version of Kubernetes", "1.35"),
		ValidArgsFunction: versions,
		RunE: func(cmd *cobra.Command, args []string) error {
			version, found, err := lookForAssets(cmd, args[0])
			if err != nil {
				return err
			}
			if len(found) == 0 {
				return fmt.Errorf("no binaries of Kubernetes %s on this machine, so there is nothing to remove; reconform assets list shows what there is", version)
			}
			var failed error
			for _, at := range found {
				if err := at.Remove(); err != nil {
					failed = errors.Join(failed, err)
					continue
				}
				fmt.Fprintf(cmd.OutOrStdout(), "removed %s (%d MB)\n", at.Dir, at.Bytes>>20)
			}
			return failed
		},
	}
}

// findAssets returns the folders of a version. It is an error if there are none.
func findAssets(cmd *cobra.Command, argument string) ([]envtest.Installed, error) {
	version, found, err := lookForAssets(cmd, argument)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no binaries of Kubernetes %s on this machine: reconform assets get %[1]s --from ARCHIVE, or, in Reconform's repository, %s",
			version, envtest.BuildCommand(version))
	}
	return found, err
}

// lookForAssets returns the version that an argument names, and its folders, if there are any.
func lookForAssets(cmd *cobra.Command, argument string) (version string, found []envtest.Installed, err error) {
	if version, err = envtest.ParseVersion(argument); err != nil {
		return "", nil, err
	}
	found, err = envtest.Find(cmd.Context(), version)
	return version, found, err
}

func versions(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return envtest.Versions(), cobra.ShellCompDirectiveNoFileComp
}

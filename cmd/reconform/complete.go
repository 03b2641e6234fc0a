package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/internal/lab/play"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// complete lets a shell complete the values of a flag.
func complete(cmd *cobra.Command, flag string, values cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, values); err != nil {
		panic(err) // there is no such flag
	}
}

// profileNames completes the name of a built-in profile, or of a file.
func profileNames(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if profile.IsFile(typed) {
		return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
	}
	names, err := profile.Names()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return startingWith(typed, names), cobra.ShellCompDirectiveDefault
}

// requirementIDs completes the ID of a requirement, with its text.
func requirementIDs(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	requirements, err := catalogue.Embedded()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var found []cobra.Completion
	for _, r := range requirements {
		if strings.HasPrefix(r.ID, strings.ToUpper(typed)) {
			found = append(found, cobra.CompletionWithDesc(r.ID, sanitize.CutEnd(r.Must, 60)))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// explainedIDs completes what can be explained: requirements, and checks of labs.
func explainedIDs(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	found, directive := requirementIDs(cmd, args, typed)
	for _, id := range play.All() {
		if strings.HasPrefix(id, strings.ToLower(typed)) {
			found = append(found, cobra.CompletionWithDesc(id, sanitize.CutEnd(play.Must(id), 60)))
		}
	}
	return found, directive
}

// selectors completes the last label of a selector.
func selectors(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	requirements, err := catalogue.Embedded()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	before := typed[:strings.LastIndex(typed, ",")+1]
	known := map[string]bool{}
	for _, r := range requirements {
		for label, value := range r.Labels {
			if label != catalogue.LabelID {
				known[before+strings.TrimPrefix(label, "reconform.dev/")+"="+value] = true
			}
		}
	}
	all := make([]string, 0, len(known))
	for one := range known {
		all = append(all, one)
	}
	slices.Sort(all)
	return startingWith(typed, all), cobra.ShellCompDirectiveNoFileComp
}

// folders completes the name of a folder.
func folders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func startingWith(typed string, words []string) []cobra.Completion {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.HasPrefix(word, typed) })
}

// manifests completes the name of a YAML or JSON file.
func manifests(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

package visit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// inFlag returns an error about the file that a flag names. It names the file once.
func inFlag(flag, file string, err error) error {
	if names(err.Error(), file) {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return fmt.Errorf("%s %s: %w", flag, file, err)
}

// names says whether a message names a file, or a line in it.
func names(message, file string) bool {
	return slices.ContainsFunc(strings.Fields(message), func(word string) bool {
		return word == file || strings.HasPrefix(word, file+":")
	})
}

// inFlags makes problems of the profile name the flag that each field comes from, because
// the profile is not written yet.
func (place *Place) inFlags(err error) error {
	var problems strictyaml.Problems
	if !errors.As(err, &problems) {
		return err
	}
	told := make(strictyaml.Problems, 0, len(problems))
	for _, problem := range problems {
		if flag, value := place.flagOf(problem.Field); flag != "" {
			if value != "" && !names(problem.Message, value) {
				flag += " " + value
			}
			problem = strictyaml.Problem{File: flag, Message: problem.Message}
		}
		told = append(told, problem)
	}
	return told.Err()
}

// flagOf returns the flag of a field of the profile, and its value. The flag is "" if the
// field comes from none.
func (place *Place) flagOf(field string) (flag, value string) {
	for _, f := range []struct {
		field, flag string
		values      []string
	}{
		{"install.crds", "--crd", place.CRDs},
		{"install.rbac", "--rbac", place.RBAC},
		{"install.values", "--values", place.Values},
		{"install.webhooks", "--webhooks", []string{place.Webhooks}},
		{"install.serviceAccount", "--service-account", []string{place.ServiceAccount}},
		{"install.clusterWrites", "--cluster-writes", place.ClusterWrites},
		{"launch.directory", "--directory", []string{place.Directory}},
		{"launch.readable", "--readable", place.Readable},
		{"launch.fixedPorts", "--webhook-port", []string{strconv.Itoa(int(place.WebhookPort))}},
		{"contract", "--crd", place.CRDs},
		{"serves[0].sample", "--sample", nil},
		{"launch.webhook", "--webhooks", []string{place.Webhooks}},
		{"launch.env", "--env", nil},
		{"launch.command", "the command", nil},
	} {
		rest, found := strings.CutPrefix(field, "spec."+f.field)
		if !found {
			continue
		}
		var i int
		if _, err := fmt.Sscanf(rest, "[%d]", &i); err == nil && i < len(f.values) {
			return f.flag, f.values[i]
		}
		return f.flag, strings.Join(f.values, " ")
	}
	return "", ""
}

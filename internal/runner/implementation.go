package runner

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/render"
)

// Implementation is a controller that is judged, with its profile and its plan.
type Implementation struct {
	// Name distinguishes it from the others of the same run: at most 40 lower-case letters,
	// digits and hyphens. It is empty if there is only one.
	Name string
	// Profile that describes it.
	Profile *profile.Profile
	// ProfileArgument is the user's name for the profile, for the command that repeats a run.
	ProfileArgument string
	// Plan of its scenarios, made with the profile.
	Plan *Plan

	contract invariant.Contract // of the profile
}

// validName limits the length of a name, because it becomes a part of namespaces, whose
// names may have at most 63 characters.
var validName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// checkNames makes sure that several implementations can be told apart.
func checkNames(implementations []*Implementation) error {
	if len(implementations) == 0 {
		return errors.New("no implementation to judge is given")
	}
	known := map[string]bool{}
	for _, i := range implementations {
		if !validName.MatchString(i.Name) {
			return fmt.Errorf("implementation %q: its name may have lower-case letters, digits and hyphens, 40 at most", i.Name)
		}
		if known[i.Name] {
			return fmt.Errorf("two implementations are named %s", i.Name)
		}
		known[i.Name] = true
	}
	return nil
}

// namespace returns the namespace of a requirement's scenario in one of several rounds. The
// ID comes last, so that no name is the beginning of another one.
func (i *Implementation) namespace(requirement catalogue.Requirement, round, rounds int) string {
	name := "reconform-"
	if i.Name != "" {
		name += i.Name + "-"
	}
	name += requirement.Name
	if rounds > 1 {
		name += fmt.Sprintf("-r%d", round)
	}
	return name
}

// Namespaces returns the namespaces of the scenarios that [Judge] runs, each with the
// profile of the implementation that is judged there.
func Namespaces(implementations []*Implementation) map[string]*profile.Profile {
	return profiles(implementations, 1)
}

// profiles returns the profiles of the implementations, by the namespaces of all their
// scenarios in all rounds.
func profiles(implementations []*Implementation, rounds int) map[string]*profile.Profile {
	byNamespace := map[string]*profile.Profile{}
	for _, i := range implementations {
		for _, planned := range i.Plan.Scenarios {
			for round := 1; round <= rounds; round++ {
				byNamespace[i.namespace(planned.Requirement, round, rounds)] = i.Profile
			}
		}
	}
	return byNamespace
}

// reproduce returns the command that runs only this requirement, in the same place and with
// the same scenarios and time limits.
func (i *Implementation) reproduce(requirement catalogue.Requirement, options *Options) string {
	command := "reconform run" + clusterFlags(options.Kubeconfig, options.Context)
	if options.Kubernetes != "" {
		command += " --kubernetes " + options.Kubernetes
	}
	if options.InCluster {
		command += " --in-cluster"
	}
	if i.ProfileArgument != "" && i.ProfileArgument != profile.Default {
		command += " --profile " + i.ProfileArgument
	}
	if options.ScenarioArgument != "" {
		command += " --scenarios " + options.ScenarioArgument
	}
	if scale := options.TimeoutScale; scale != 0 && scale != 1 {
		command += fmt.Sprintf(" --timeout-scale %g", scale)
	}
	return command + " --run '^" + requirement.ID + "$'"
}

// scenario is one run of one planned scenario.
type scenario struct {
	implementation *Implementation
	requirement    catalogue.Requirement
	unclaimed      []v1alpha1.Feature // features that it is about and that are not claimed
	test           *render.Rendered
	namespace      string
	repeat         int // from 1; 0 if nothing is repeated
	folder         string
	takes          time.Duration // estimated
	at             string        // the current step; empty before the first
	failed         bool          // whether a step has failed
}

// name returns the name of the Chainsaw test.
func (s *scenario) name() string {
	if name := s.implementation.Name; name != "" {
		return name + "-" + s.requirement.Name
	}
	return s.requirement.Name
}

// title returns the name of the scenario for display.
func (s *scenario) title() string {
	if name := s.implementation.Name; name != "" {
		return s.requirement.ID + " " + name
	}
	return s.requirement.ID
}

// clusterFlags returns the flags that name a cluster of the user's, for a command.
func clusterFlags(kubeconfig, context string) (flags string) {
	if kubeconfig != "" {
		flags += " --kubeconfig " + sanitize.Word(kubeconfig)
	}
	if context != "" {
		flags += " --context " + sanitize.Word(context)
	}
	return flags
}

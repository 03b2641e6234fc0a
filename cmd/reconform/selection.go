package main

import (
	"fmt"
	"regexp"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"reconform.dev/reconform/conformance/catalogue"
)

// selectionFlags choose among the requirements.
type selectionFlags struct {
	run, skip, selector string
}

func (s *selectionFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.run, "run", "", "only requirements whose ID matches `REGEX`")
	f.StringVar(&s.skip, "skip", "", "no requirements whose ID matches `REGEX`")
	f.StringVarP(&s.selector, "selector", "l", "", "only requirements whose labels match `SELECTOR`, such as area=retries")
}

// requirements are those that the flags choose.
func (s *selectionFlags) requirements() ([]catalogue.Requirement, error) {
	run, err := regexp.Compile(s.run)
	if err != nil {
		return nil, fmt.Errorf("--run: %w", err)
	}
	var skip *regexp.Regexp
	if s.skip != "" {
		if skip, err = regexp.Compile(s.skip); err != nil {
			return nil, fmt.Errorf("--skip: %w", err)
		}
	}
	selector, err := labels.Parse(s.selector)
	if err != nil {
		return nil, fmt.Errorf("--selector: %w", err)
	}
	all, err := catalogue.Embedded()
	if err != nil {
		return nil, err
	}
	return catalogue.Select(all, run, skip, selector), nil
}

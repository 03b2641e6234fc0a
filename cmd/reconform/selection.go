package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"reconform.dev/reconform/internal/catalogue"
)

// selectionFlags choose among the requirements.
type selectionFlags struct {
	run, skip, selector string
}

func (s *selectionFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.run, "run", "", "only requirements whose ID or path matches `REGEX`")
	f.StringVar(&s.skip, "skip", "", "no requirements whose ID or path matches `REGEX`")
	f.StringVarP(&s.selector, "selector", "l", "", "only requirements whose labels match `SELECTOR`, such as area=status,level=core")
	complete(cmd, "run", requirementIDs)
	complete(cmd, "skip", requirementIDs)
	complete(cmd, "selector", selectors)
}

// errNothingMatches is for a selection that no requirement is in.
var errNothingMatches = errors.New("no requirement matches --run, --skip, -l and --shard (reconform list shows all)")

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

// shard keeps every N-th requirement, beginning with the I-th.
func shard(requirements []catalogue.Requirement, value string) ([]catalogue.Requirement, error) {
	if value == "" {
		return requirements, nil
	}
	wrong := errors.New("--shard " + value + " is not I/N with 1 ≤ I ≤ N, as in 1/3")
	first, second, ok := strings.Cut(value, "/")
	if !ok {
		return nil, wrong
	}
	index, err := strconv.Atoi(first)
	if err != nil {
		return nil, wrong
	}
	count, err := strconv.Atoi(second)
	if err != nil || index < 1 || index > count {
		return nil, wrong
	}
	var part []catalogue.Requirement
	for i, requirement := range requirements {
		if i%count == index-1 {
			part = append(part, requirement)
		}
	}
	return part, nil
}

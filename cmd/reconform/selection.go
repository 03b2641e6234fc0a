package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/strictyaml"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/misspelt"
)

// selectionFlags select requirements.
type selectionFlags struct {
	run, skip, selector string
	scenarios           scenariosFlag
}

// scenariosFlag names a folder of scenarios in the place of those of this program.
type scenariosFlag struct{ dir string }

func (s *scenariosFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.dir, "scenarios", "", "use the scenarios in the folder `DIR`, and not those that the program was built with: for writing one")
	complete(cmd, "scenarios", folders)
}

// read returns all requirements. Those of a folder may be new, so they are checked for what
// is mistyped.
func (s *scenariosFlag) read() ([]catalogue.Requirement, error) {
	if s.dir == "" {
		return catalogue.Embedded()
	}
	if info, err := os.Stat(s.dir); err != nil {
		return nil, fmt.Errorf("--scenarios %s: %w", s.dir, strictyaml.Cause(err))
	} else if !info.IsDir() {
		return nil, fmt.Errorf("--scenarios: %s is not a folder", s.dir)
	}
	all, err := catalogue.Read(os.DirFS(s.dir), s.dir)
	if err != nil {
		return nil, err
	}
	return all, misspelt.Check(all, s.dir)
}

func (s *selectionFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.run, "run", "", "only requirements whose ID or path matches `REGEX`")
	f.StringVar(&s.skip, "skip", "", "no requirements whose ID or path matches `REGEX`")
	f.StringVarP(&s.selector, "selector", "l", "", "only requirements whose labels match `SELECTOR`, such as area=status,level=core")
	s.scenarios.add(cmd)
	complete(cmd, "run", requirementIDs)
	complete(cmd, "skip", requirementIDs)
	complete(cmd, "selector", selectors)
}

// only selects requirements by their IDs, if any are given.
func (s *selectionFlags) only(cmd *cobra.Command, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if cmd.Flags().Changed("run") {
		return fmt.Errorf("give either IDs (%s) or --run", strings.Join(ids, ", "))
	}
	all, err := s.scenarios.read()
	if err != nil {
		return err
	}
	var known []string
	for _, id := range ids {
		r, err := catalogue.Find(all, id)
		if info, found := os.Stat(id); err != nil && found == nil && info.Mode().IsRegular() {
			return fmt.Errorf("%s is a file, not the ID of a requirement; did you mean --profile %s?", id, sanitize.Word(id))
		} else if err != nil {
			return err
		}
		known = append(known, r.ID)
	}
	return cmd.Flags().Set("run", exactly(known)) // so that the command which is repeated has it
}

// exactly returns the pattern of these IDs.
func exactly(ids []string) string {
	if len(ids) == 1 {
		return "^" + ids[0] + "$"
	}
	return "^(" + strings.Join(ids, "|") + ")$"
}

// errNothingMatches is the error for a selection without requirements.
var errNothingMatches = errors.New("no requirement matches --run, --skip, -l and --shard; reconform list shows all")

// check says what is wrong with the flags themselves, whatever requirements there are.
func (s *selectionFlags) check() error {
	_, err := catalogue.Chosen(nil, s.selection())
	return err
}

// requirements returns the requirements that the flags select, of all that there are. A
// pattern that skips none of them is an error: most likely it is misspelt.
func (s *selectionFlags) requirements() (selected, all []catalogue.Requirement, err error) {
	if all, err = s.scenarios.read(); err != nil {
		return nil, nil, err
	}
	if err := catalogue.CheckSelector(all, s.selector); err != nil {
		return nil, nil, err
	}
	if s.skip != "" {
		skipped, err := catalogue.Chosen(all, v1alpha1.Selection{Run: s.skip})
		if err == nil && len(skipped) == 0 {
			return nil, nil, fmt.Errorf("--skip %s matches no requirement; reconform list shows all", s.skip)
		}
	}
	selected, err = catalogue.Chosen(all, s.selection())
	return selected, all, err
}

// selection returns the selection in the form that a report uses.
func (s *selectionFlags) selection() v1alpha1.Selection {
	return v1alpha1.Selection{Run: s.run, Skip: s.skip, Selector: s.selector}
}

// shardOf reads the value of --shard. It returns nil for an empty one.
func shardOf(value string) (*v1alpha1.Shard, error) {
	if value == "" {
		return nil, nil
	}
	first, second, _ := strings.Cut(value, "/")
	index, err := strconv.Atoi(first)
	count, err2 := strconv.Atoi(second)
	shard := &v1alpha1.Shard{Index: index, Count: count}
	if err != nil || err2 != nil || !shard.Valid() {
		return nil, errors.New("--shard " + value + " is not I/N with 1 ≤ I ≤ N, as in 1/3")
	}
	return shard, nil
}

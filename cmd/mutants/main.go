// Command mutants makes one binary from all mutants, and a profile for each.
//
// For every mutant it copies the sources and manifests of the controller into
// bin/_mutants/NAME and makes the mistake there. It compiles all copies into one program,
// bin/mutants, whose flag --mutant NAME chooses the mutant. The underscore in the folder's
// name hides it from ./... patterns.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"

	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

const (
	module = "reconform.dev/reconform"
	// outDir is the folder of the copies, one folder each.
	outDir = "bin/_mutants"
	// binary is the path of the program.
	binary = "bin/mutants"
)

func main() {
	root := flag.String("root", ".", "`DIR` of the repository")
	run := flag.String("run", "", "build only the mutants whose name matches `REGEX`, and remove the others")
	fast := flag.Bool("fast", false, "build only the fast half, the mutants that bin/matrix runs without -all, and remove the others")
	flag.Parse()
	if err := build(*root, *run, *fast); err != nil {
		fmt.Fprintln(os.Stderr, "building the mutants:", err)
		os.Exit(1)
	}
}

func build(root, run string, fast bool) error {
	mutants, err := mutant.Load(root)
	if err != nil {
		return err
	}
	pattern, err := regexp.Compile(run)
	if err != nil {
		return fmt.Errorf("reading -run: %w", err)
	}
	mutants = slices.DeleteFunc(mutants, func(m mutant.Mutant) bool { return !pattern.MatchString(m.Name) })
	if len(mutants) == 0 {
		return fmt.Errorf("no mutant has a name that matches %q; their names are those of the patches in %s", run, mutant.Dir)
	}
	if fast {
		requirements, err := catalogue.Embedded()
		if err != nil {
			return err
		}
		mutants, _ = mutant.FastHalf(mutants, requirements)
	}
	out := filepath.Join(root, outDir)
	if err := os.RemoveAll(out); err != nil {
		return fmt.Errorf("removing the last build: %w", err)
	}
	bases, err := readBases(root, mutants)
	if err != nil {
		return err
	}
	var broken error
	for _, m := range mutants {
		broken = errors.Join(broken, write(root, bases[m.Base], m))
	}
	if broken != nil {
		return broken
	}
	if err := writeMain(out, bases, mutants); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "./"+outDir)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("compiling: %w", err)
	}
	fmt.Printf("built %s; mutants in it: %d; bin/mutants --list names them\n", binary, len(mutants))
	return nil
}

// write writes the copy of one mutant.
func write(root string, b *base, m mutant.Mutant) error {
	files := maps.Clone(b.files) // Apply replaces entries of the map, and changes none
	if err := m.Apply(files); err != nil {
		return err
	}
	dir := filepath.Join(root, outDir, m.Name)
	for name, content := range files {
		content, err := b.adapt(m, name, content)
		if err != nil {
			return fmt.Errorf("adapting %s of mutant %s: %w", name, m.Name, err)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("writing mutant %s: %w", m.Name, err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return fmt.Errorf("writing mutant %s: %w", m.Name, err)
		}
	}
	return nil
}

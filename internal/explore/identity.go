package explore

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// Identity says what an exploration is about. Another one can go on with it only if all of
// it is the same.
type Identity struct {
	// Version of Reconform.
	Version string `json:"version"`
	// Profile is the digest of its file, Program that of the controller's program, and
	// Manifests that of what is installed.
	Profile   string `json:"profile"`
	Program   string `json:"program"`
	Manifests string `json:"manifests"`
	// Seed, Sorts of operations, and Shard, as they were given.
	Seed  int64    `json:"seed"`
	Sorts []string `json:"sorts,omitempty"`
	Shard string   `json:"shard,omitempty"`
	// Ways of disturbances, as they were given.
	Ways []string `json:"ways,omitempty"`
	// Pairs of disturbances are planned, too.
	Pairs bool `json:"pairs,omitempty"`
	// Kubernetes is the version of the control plane, as it was given.
	Kubernetes string `json:"kubernetes,omitempty"`
}

// Identify returns the identity of an exploration of a profile.
func Identify(p *profile.Profile, version string, options Options) (Identity, error) {
	id := Identity{Version: version, Profile: p.Digest, Seed: options.Seed, Sorts: sorted(options.Sorts), Ways: sorted(options.Ways), Pairs: options.Pairs, Kubernetes: options.Kubernetes}
	if options.Shard != nil {
		id.Shard = options.Shard.String()
	}
	program, err := programFiles(p)
	if err != nil {
		return id, err
	}
	if id.Program, err = digestOf(program); err != nil {
		return id, fmt.Errorf("reading the controller's program: %w", err)
	}
	manifests := p.ValuesFiles()
	for _, files := range []func() ([]string, error){p.CRDFiles, p.RBACFiles, p.WebhookFiles, p.SetupFiles} {
		some, err := files()
		if err != nil {
			return id, err
		}
		manifests = append(manifests, some...)
	}
	if id.Manifests, err = digestOf(manifests); err != nil {
		return id, fmt.Errorf("reading the manifests: %w", err)
	}
	return id, nil
}

// sorted returns words in order, each once.
func sorted(words []string) []string { return slices.Compact(slices.Sorted(slices.Values(words))) }

// programFiles returns the program of the controller, and its arguments that are files, such
// as the script that an interpreter runs. If it is started in a folder, the other files in it with
// the ending of such an argument belong to it, too: a script imports them.
func programFiles(p *profile.Profile) ([]string, error) {
	if len(p.Spec.Launch.Command) == 0 {
		return nil, nil
	}
	program, err := p.Program()
	if err != nil {
		return nil, err
	}
	files, endings := []string{program}, map[string]bool{}
	for _, argument := range p.Spec.Launch.Command[1:] {
		if argument == "-m" {
			endings[".py"] = true // python3 -m MODULE
		}
		for _, dir := range []string{cmp.Or(p.Directory(), p.Dir), p.Dir} {
			path := argument
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				files = append(files, path)
				endings[filepath.Ext(path)] = true
				break
			}
		}
	}
	delete(endings, "")
	if p.Directory() == "" || len(endings) == 0 {
		return files, nil
	}
	sources, err := filesIn(p.Directory(), endings)
	return append(files, sources...), err
}

// filesIn returns the files below a folder with one of these endings, in order. What is hidden, and
// what npm installs, is left out.
func filesIn(dir string, endings map[string]bool) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != dir && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.Type().IsRegular() && endings[filepath.Ext(path)]:
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// digestOf returns the digest of the content of files, or "" if there are none.
func digestOf(paths []string) (string, error) {
	if len(paths) == 0 {
		return "", nil
	}
	sum := sha256.New()
	for _, path := range paths {
		if err := copyTo(sum, path); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("sha256:%x", sum.Sum(nil)), nil
}

func copyTo(to io.Writer, path string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = io.Copy(to, file)
	return err
}

// differs says in words what is not the same in two identities: what was, and what is now.
func (i Identity) differs(now Identity) []string {
	var all []string
	add := func(what, was, is string) {
		if was != is {
			all = append(all, fmt.Sprintf("%s (was %s, is %s)", what, cmp.Or(was, "not given"), cmp.Or(is, "not given")))
		}
	}
	add("the version of Reconform", i.Version, now.Version)
	add("the profile", short(i.Profile), short(now.Profile))
	add("the controller's program", short(i.Program), short(now.Program))
	add("the installed manifests", short(i.Manifests), short(now.Manifests))
	add("--seed", fmt.Sprint(i.Seed), fmt.Sprint(now.Seed))
	add("--operations", strings.Join(i.Sorts, ","), strings.Join(now.Sorts, ","))
	add("--disturbances", strings.Join(i.Ways, ","), strings.Join(now.Ways, ","))
	add("--shard", i.Shard, now.Shard)
	given := func(flag bool) string {
		if flag {
			return "given"
		}
		return ""
	}
	add("--pairs", given(i.Pairs), given(now.Pairs))
	add("--kubernetes", i.Kubernetes, now.Kubernetes)
	return all
}

// short returns the beginning of a digest.
func short(digest string) string { return digest[:min(len(digest), len("sha256:")+12)] }

// in says whether a plan is in a shard. Each plan is in one shard only, and in the same one
// on each machine, whatever else is recorded there.
func (p *Plan) in(shard *v1alpha1.Shard) (bool, error) {
	if shard == nil {
		return true, nil
	}
	key, err := p.key()
	if err != nil {
		return false, err
	}
	sum := sha256.Sum256([]byte(key))
	number := int(sum[0])<<16 | int(sum[1])<<8 | int(sum[2])
	return number%shard.Count == shard.Index-1, nil
}

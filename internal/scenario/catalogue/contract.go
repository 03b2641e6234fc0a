package catalogue

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"
	strict "sigs.k8s.io/yaml"
)

// WebApps is the contract of a resource that becomes a Deployment and a Service. It shares
// its areas with all contracts: a requirement for WebApps only has a label that says so.
// Each other contract has a folder for its own requirements.
const WebApps = "webapp"

// contractFile is the file that describes a contract. A folder of scenarios that has this
// file is a contract. Without it, the folder is only an area.
const contractFile = "contract.yaml"

// contractDocument is the content of a contractFile.
type contractDocument struct {
	// Name of the contract, which is also the name of its folder.
	Name string `json:"name"`
	// Prefix of the IDs of its requirements: two capital letters.
	Prefix string `json:"prefix"`
	// Description says in a sentence what a controller of this contract makes, and from what,
	// for people who open the file.
	Description string `json:"description"`
}

var prefixPattern = regexp.MustCompile(`^[A-Z]{2}$`)

// readContracts finds the contracts that have a folder, and returns them as areas.
func readContracts(fsys fs.FS, root string) ([]area, error) {
	files, err := fs.Glob(fsys, "*/"+contractFile)
	if err != nil {
		return nil, fmt.Errorf("looking for contracts: %w", err)
	}
	var found []area
	for _, file := range files {
		raw, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("reading a contract: %w", err)
		}
		var c contractDocument
		if err := strict.UnmarshalStrict(raw, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(root, file), err)
		}
		taken := slices.ContainsFunc(append(areas(), found...), func(a area) bool { return a.prefix == c.Prefix })
		switch {
		case c.Name != path.Dir(file):
			return nil, fmt.Errorf("%s: name is %q, and must be that of the folder", path.Join(root, file), c.Name)
		case !prefixPattern.MatchString(c.Prefix) || taken:
			return nil, fmt.Errorf("%s: prefix is %q, and must be two capital letters that no other area has", path.Join(root, file), c.Prefix)
		case c.Description == "":
			return nil, fmt.Errorf("%s: the description is missing", path.Join(root, file))
		}
		found = append(found, area{name: c.Name, prefix: c.Prefix, contract: true})
	}
	return found, nil
}

// Of returns the requirements for an implementation of a contract: those for all contracts,
// and the contract's own. An empty contract means WebApps.
func Of(all []Requirement, contract string) []Requirement {
	var own []Requirement
	for _, r := range all {
		if r.OfAnother(contract) == "" {
			own = append(own, r)
		}
	}
	return own
}

// OfAnother says why the requirement is not for an implementation of a contract: it belongs
// to another contract. It returns "" if the requirement is for it.
func (r *Requirement) OfAnother(contract string) string {
	if r.Contract == "" || r.Contract == cmp.Or(contract, WebApps) {
		return ""
	}
	return "it is of another contract: " + r.Contract
}

// contract sets the contract of a requirement: that of its area, if the area is a contract.
func (s *scenario) contract(r *Requirement, labels *yaml.Node) {
	r.Contract = s.oneOf(labels, LabelContract, WebApps)
	if i := areaIndex(s.areas, r.Area); i >= 0 && s.areas[i].contract {
		r.Contract = r.Area
	}
}

package infer

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/capture"
	"reconform.dev/reconform/internal/verdict/seen"
)

// Basis says how something is known.
type Basis string

// The possible values of Basis.
const (
	Seen    Basis = "seen"
	Read    Basis = "read"    // in the CRD, or in the roles
	Guessed Basis = "guessed" // the note says how to check it
)

// Note says how a field of the profile is known.
type Note struct {
	Basis Basis
	Text  string
}

func (n Note) String() string { return string(n.Basis) + ": " + n.Text }

// Findings are a profile, and how each field of it is known.
type Findings struct {
	Spec v1alpha1.ProfileSpec
	// Notes by the path of the field, such as contract.spec.image. The path of a feature is
	// claims.features.NAME.
	Notes map[string]Note
	// Asked has the questions that nothing answered, by the path of the field that they are
	// about.
	Asked map[string][]Question
	// Doubts are about what looks like a mistake of the controller.
	Doubts []Doubt
	// Elections that were seen.
	Elections []seen.Election
	// Unreached is an address in the cluster that the controller tried to reach, and nothing
	// answered. It is empty if its log tells of none.
	Unreached string
}

// finder fills in Findings.
type finder struct {
	*Record
	Findings
	fields map[Role]mapped
	// unnamed are fields that no profile can name.
	unnamed map[Role]mapped
	main    Ref
	first   Act // the creation of the first object
	// workload is the resource of the main child, which takes the place of the Deployment.
	workload v1alpha1.Workload
	// deployment and service of the first object, right after its creation.
	deployment, service *unstructured.Unstructured
	container           string // its index
	status              Status
	// standsIn is true if another field stands in for that of the replicas.
	standsIn bool
	// unserved is the path of a field of a port to which the Service does not lead.
	unserved string
	// unsent are the fields that are not constants, because the API server filled them in.
	unsent []string
}

// Find tells what a record shows. If the controller made no workload, the profile has no
// contract.
func Find(r *Record) (*Findings, error) {
	found, err := findAny(r)
	if err != nil {
		return nil, err
	}
	if addresses := capture.Unreached(r.Log); len(addresses) > 0 {
		found.Unreached = addresses[0]
		found.excuse()
	}
	return found, nil
}

// excuse adds to each doubt that it may not be a mistake, because the controller waits for
// something that does not run here.
func (f *Findings) excuse() {
	for n := range f.Doubts {
		doubt := &f.Doubts[n]
		if doubt.Declared {
			continue
		}
		because := ". It may be no mistake: the controller tried to reach " + f.Unreached + ", and nothing answers there on the local control plane"
		doubt.Text += because
		if doubt.Claimed != "" {
			doubt.Claimed += because
		}
	}
}

func findAny(r *Record) (*Findings, error) {
	if r.Workless != "" {
		return findServed(r)
	}
	f, err := find(r)
	if err != nil {
		return nil, err
	}
	return &f.Findings, nil
}

func find(r *Record) (*finder, error) {
	f := &finder{Record: r}
	f.Notes, f.Asked = map[string]Note{}, map[string][]Question{}
	f.main = r.Main()
	first, ok := r.act(Create)
	if !ok || f.main.Name == "" {
		return nil, errors.New("the controller made nothing with a Pod template")
	}
	f.first, f.deployment = first, r.Film.At(first.Until)[f.main]
	f.workload = r.MainWorkload()
	f.service = r.mainService(f.main)
	f.fields, f.unnamed = r.mapped(f.main)
	f.leaveBeside()
	if _, mapped := f.fields[RolePort]; mapped {
		delete(f.unnamed, RoleServicePort) // it is another port of the Service, perhaps
	}
	f.Elections = seen.Elections(r.Account, r.Home)
	f.findResource()
	f.findFields()
	f.findStandIn()
	f.findChildren()
	f.findWorkload()
	f.findStandInWorkload()
	f.findBase()
	f.findAround()
	f.findStatus()
	f.findSchema()
	f.findNumbers()
	f.findGrowth()
	f.findOwnership()
	f.findTrouble()
	f.findTimes()
	f.findLaunch()
	f.findFeatures()
	f.dropLacking()
	f.askUnfit()
	f.askNameless()
	f.askRefused()
	f.askIgnored()
	f.askParts()
	f.askUngiven()
	f.askGeneration()
	f.askHeartbeat()
	f.askShared()
	f.askLeftOut()
	f.askBarredWrites()
	f.askBarredNamespaces()
	f.doubtCrashes()
	f.doubtWithoutEffect()
	f.doubtKept()
	f.doubtLost()
	return f, nil
}

func (f *finder) note(path string, basis Basis, format string, args ...any) {
	f.Notes[path] = Note{basis, fmt.Sprintf(format, args...)}
}

func (f *finder) claim(feature v1alpha1.Feature, basis Basis, format string, args ...any) {
	f.Spec.Claims.Features = append(f.Spec.Claims.Features, feature)
	f.note("claims.features."+string(feature), basis, format, args...)
}

package history

import (
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Shown is what an answer showed a replica about one object: its UID and its version. A
// list as a whole, and a bookmark, have only a version.
type Shown struct {
	// Resource is plural.group. Name is empty for a list.
	Resource, Name  string
	UID             types.UID
	ResourceVersion string
	// Generation of the object, or 0 if it has none.
	Generation int64
	// Called is what the object is called in each run, if somebody chose no name for it. See
	// [MadeUpName].
	Called string
}

// MadeUp is an object whose name the API server or a controller of Kubernetes made up.
type MadeUp struct {
	// Resource is plural.group.
	Resource string
	// Called is the name as it is in each run. See [MadeUpName].
	Called string
}

// Identities are all UIDs and resourceVersions that the replicas of a scenario have seen.
// Each value says what it belongs to: an object, such as "deployments.apps demo", or all
// objects of a resource.
type Identities struct {
	UIDs, ResourceVersions map[string]string
	// Names are those that were made up for objects that the replicas created or saw.
	Names map[string]MadeUp
}

// Show records what an answer showed to a replica of a scenario.
func (r *Recorder) Show(name string, all ...Shown) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.scenario(name)
	known := &s.known
	for _, one := range all {
		of := one.Resource
		if one.Name != "" {
			of += " " + one.Name
		}
		if one.UID != "" {
			known.UIDs[string(one.UID)] = of
			s.seen[one.UID] = s.seen[one.UID].then(one)
		}
		if one.Called != "" {
			if known.Names == nil {
				known.Names = map[string]MadeUp{}
			}
			known.Names[one.Name] = MadeUp{one.Resource, one.Called}
		}
		// The version of a list is often the version of the object that changed last.
		_, taken := known.ResourceVersions[one.ResourceVersion]
		if one.ResourceVersion != "" && one.ResourceVersion != "0" && (one.Name != "" || !taken) {
			known.ResourceVersions[one.ResourceVersion] = of
		}
	}
}

// Identities returns what a scenario's replicas have seen until now.
func (r *Recorder) Identities(name string) Identities {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if s := r.scenarios[name]; s != nil {
		return Identities{maps.Clone(s.known.UIDs), maps.Clone(s.known.ResourceVersions), s.madeUp()}
	}
	return Identities{}
}

// madeUp returns the names that were made up for what was created or seen; nil if there are
// none.
func (s *scenario) madeUp() map[string]MadeUp {
	names := maps.Clone(s.known.Names)
	for _, q := range s.requests {
		if q.GenerateName == "" || q.Name == "" || q.Verb != VerbCreate {
			continue
		}
		if names == nil {
			names = map[string]MadeUp{}
		}
		if _, seen := names[q.Name]; !seen {
			names[q.Name] = MadeUp{q.GroupResource().String(), GeneratedName(q.GenerateName)}
		}
	}
	return names
}

// Sighting is the newest state of an object that the replicas have seen.
type Sighting struct {
	// Resource is plural.group.
	Resource        string
	ResourceVersion string
	// Generation is the highest one that they have seen, or 0 if the object has none.
	Generation int64
	// At is when they first saw that version.
	At time.Time
}

// then returns the sighting after one more look at the object.
func (s Sighting) then(shown Shown) Sighting {
	if shown.ResourceVersion != s.ResourceVersion {
		s.Resource, s.ResourceVersion, s.At = shown.Resource, shown.ResourceVersion, time.Now()
	}
	s.Generation = max(s.Generation, shown.Generation)
	return s
}

// Sightings returns the newest states of the objects of a resource, plural.group, that a
// scenario's replicas have seen.
func (r *Recorder) Sightings(name, resource string) []Sighting {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var all []Sighting
	if s := r.scenarios[name]; s != nil {
		for _, one := range s.seen {
			if one.Resource == resource {
				all = append(all, one)
			}
		}
	}
	return all
}

// Generation returns the newest generation of an object that a scenario's replicas have
// seen, or 0 if they have seen none.
func (r *Recorder) Generation(name string, uid types.UID) int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if s := r.scenarios[name]; s != nil {
		return s.seen[uid].Generation
	}
	return 0
}

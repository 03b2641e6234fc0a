package history

import (
	"maps"

	"k8s.io/apimachinery/pkg/types"
)

// Shown is what an answer showed a replica of one object: its UID and its version. A
// list as a whole, and a bookmark, have only a version.
type Shown struct {
	// Resource is plural.group, Name empty for a list.
	Resource, Name  string
	UID             types.UID
	ResourceVersion string
	// Generation of the object, 0 if it has none.
	Generation int64
}

// Identities are the UIDs and the resourceVersions that the replicas of a scenario were
// ever shown. The value of each says what it is of: an object, as "deployments.apps
// demo", or all objects of a resource.
type Identities struct {
	UIDs, ResourceVersions map[string]string
}

// Show keeps what an answer showed to a replica of a scenario.
func (r *Recorder) Show(name string, all ...Shown) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.scenario(name)
	known := s.known
	for _, one := range all {
		of := one.Resource
		if one.Name != "" {
			of += " " + one.Name
		}
		if one.UID != "" {
			known.UIDs[string(one.UID)] = of
			s.generations[one.UID] = max(s.generations[one.UID], one.Generation)
		}
		// The version of a list is often that of the object which changed last.
		_, taken := known.ResourceVersions[one.ResourceVersion]
		if one.ResourceVersion != "" && one.ResourceVersion != "0" && (one.Name != "" || !taken) {
			known.ResourceVersions[one.ResourceVersion] = of
		}
	}
}

// Identities that a scenario's replicas were shown up to now.
func (r *Recorder) Identities(name string) Identities {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if s := r.scenarios[name]; s != nil {
		return Identities{maps.Clone(s.known.UIDs), maps.Clone(s.known.ResourceVersions)}
	}
	return Identities{}
}

// Generation is the newest generation of an object that a scenario's replicas were shown
// up to now; 0 if they were shown none.
func (r *Recorder) Generation(name string, uid types.UID) int64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if s := r.scenarios[name]; s != nil {
		return s.generations[uid]
	}
	return 0
}

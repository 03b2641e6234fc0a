package history

import "strings"

const (
	// madeUp is how many letters the API server adds to a metadata.generateName.
	madeUp = 5
	// longestPrefix is how much of a metadata.generateName it takes.
	longestPrefix = 63 - madeUp
)

// GeneratedName returns the name that the API server makes of a metadata.generateName, with
// a question mark for each letter that it makes up. It is the same in each run.
func GeneratedName(prefix string) string {
	return prefix[:min(len(prefix), longestPrefix)] + strings.Repeat("?", madeUp)
}

// Generated are the names that the API server made up, in requests of one account.
type Generated map[string]string

// GeneratedIn returns the names that the API server made up for the objects that were
// created.
func GeneratedIn(requests []Request) Generated {
	found := Generated{}
	for _, q := range requests {
		if q.GenerateName != "" && q.Name != "" && q.Verb == VerbCreate {
			found[q.about(q.Name)] = q.about(GeneratedName(q.GenerateName))
		}
	}
	return found
}

// Name returns the name of the object of a request, as it is the same in each run.
func (g Generated) Name(q Request) string {
	if q.GenerateName != "" {
		return GeneratedName(q.GenerateName)
	}
	if stable, ok := g[q.about(q.Name)]; ok {
		return strings.TrimPrefix(stable, q.about(""))
	}
	return q.Name
}

// Object returns an object, given as plural.group and name, as it is called in each run.
func (g Generated) Object(object string) string {
	if stable, ok := g[object]; ok {
		return stable
	}
	return object
}

func (r Request) about(name string) string { return r.GroupResource().String() + " " + name }

// named is the name by which a request is selected. A create whose name the API server has
// yet to make up has one that matches what [GeneratedName] returns.
func (r Request) named() string {
	if r.Name == "" && r.GenerateName != "" {
		return strings.ReplaceAll(GeneratedName(r.GenerateName), "?", "x")
	}
	return r.Name
}

package snapshot

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// madeUp replaces names that were made up by what the objects are called in each run.
type madeUp struct {
	names    []string // the longest first, as one may begin like another
	replacer *strings.Replacer
}

func namesOf(known map[string]history.MadeUp) madeUp {
	m := madeUp{names: slices.SortedFunc(maps.Keys(known), func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })}
	var pairs []string
	for _, name := range m.names {
		pairs = append(pairs, name, called(known, name))
	}
	m.replacer = strings.NewReplacer(pairs...)
	return m
}

// called returns what an object is called in each run. Its name may begin with the made-up
// name of its owner.
func called(known map[string]history.MadeUp, name string) string {
	as := known[name].Called
	for i := range len(as) {
		if _, owner := known[as[:i]]; owner && as[i] == '-' && as[:i] != name {
			return called(known, as[:i]) + as[i:]
		}
	}
	return as
}

func (m madeUp) replace(text string) string { return m.replacer.Replace(text) }

// in says whether a name that was made up is in a value.
func (m madeUp) in(value any) bool {
	if len(m.names) == 0 {
		return false
	}
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			if m.in(key) || m.in(below) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, m.in)
	case string:
		return slices.ContainsFunc(m.names, func(name string) bool { return strings.Contains(v, name) })
	}
	return false
}

// gone stands behind what an object is called that is no longer there.
const gone = " that is gone"

// goneName matches a name that markGone has marked.
var goneName = regexp.MustCompile(`<[^<>]*` + gone + `>`)

// podsNeed are the resources without which the Pods of a workload cannot start.
var podsNeed = []string{"configmaps", "secrets", "serviceaccounts", "persistentvolumeclaims"}

// runs are the resources whose Pod template is in use now. A ReplicaSet or a Job may be an
// earlier one, and goes on naming what its Pods needed then.
var runs = []string{"deployments.apps", "statefulsets.apps", "daemonsets.apps", "cronjobs.batch"}

// markGone marks, in the specs of workloads, the made-up names of objects that are gone. All
// names of one prefix become one name when contents are compared, so a workload that goes on
// naming an object that somebody deleted would be like one that names its successor.
func (c *camera) markGone(ctx context.Context, namespace string, objects []object, known map[string]history.MadeUp) error {
	names := namesOf(known)
	marked := map[string]string{} // each name with its mark; the name itself if the object is there
	for _, o := range objects {
		if !slices.Contains(runs, o.resource) || !names.in(o.content["spec"]) {
			continue
		}
		for _, name := range names.names {
			if _, asked := marked[name]; asked || !slices.Contains(podsNeed, known[name].Resource) || !(madeUp{names: []string{name}}).in(o.content["spec"]) {
				continue
			}
			there, err := c.isThere(ctx, namespace, known[name].Resource, name)
			if err != nil {
				return err
			}
			marked[name] = name
			if !there {
				marked[name] = "<" + names.replace(name) + gone + ">"
			}
		}
		o.content["spec"] = profile.EachText(o.content["spec"], func(text string) string { return cmp.Or(marked[text], text) })
	}
	return nil
}

// isThere says whether an object exists.
func (c *camera) isThere(ctx context.Context, namespace, resource, name string) (bool, error) {
	found, _, err := c.find(resource)
	if err != nil {
		return false, err
	}
	_, err = c.dynamic.Resource(found).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// unmarkBefore takes the marks off that a content had from the beginning, there and in the
// one that is compared with it: what was gone before is no difference.
func unmarkBefore(was, is map[string]any) (before, after map[string]any) {
	had := map[string]bool{}
	for _, mark := range goneName.FindAllString(text(was), -1) {
		had[mark] = true
	}
	if len(had) == 0 {
		return was, is
	}
	unmark := func(value string) string {
		return goneName.ReplaceAllStringFunc(value, func(mark string) string {
			if !had[mark] {
				return mark
			}
			return strings.TrimSuffix(strings.TrimPrefix(mark, "<"), gone+">")
		})
	}
	before, _ = profile.EachText(was, unmark).(map[string]any)
	after, _ = profile.EachText(is, unmark).(map[string]any)
	return before, after
}

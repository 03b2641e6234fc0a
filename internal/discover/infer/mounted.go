package infer

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// ofData matches the field of a Pod template that names a ConfigMap or a Secret. atStart is
// part of it if the Pods read it only when they start.
var ofData = regexp.MustCompile(`(?:(?P<atStart>envFrom\[[^\]]*\]|valueFrom)\.|volumes\[[^\]]*\]\.(?:projected\.sources\[[^\]]*\]\.)?)(configMap|secret)(?:Ref|KeyRef)?\.?(?:name|secretName)$`)

// keptByPods names a ConfigMap or a Secret that followed a change, and whose Pods were not
// replaced. atStart is true if they read it only when they start.
func (f *finder) keptByPods(act Act) (data Ref, atStart bool) {
	before, after := f.Film.At(act.After), f.Film.At(act.Until)
	was, now := before[f.main], after[f.main]
	if was == nil || now == nil || !reflect.DeepEqual(was.Object["spec"], now.Object["spec"]) {
		return Ref{}, false
	}
	for _, leaf := range Leaves(now.Object["spec"], "spec") {
		m := ofData.FindStringSubmatch(leaf.Path)
		if m == nil {
			continue
		}
		ref := Ref{map[string]string{"configMap": "ConfigMap", "secret": "Secret"}[m[2]], fmt.Sprint(leaf.Value)}
		if old, new := before[ref], after[ref]; old != nil && new != nil && old.GetUID() == new.GetUID() && !sameData(old.Object, new.Object) {
			data, atStart = ref, atStart || m[1] != "" || f.mountsPart(now.Object["spec"], leaf.Path)
		}
	}
	return data, atStart
}

func sameData(a, b map[string]any) bool {
	return !slices.ContainsFunc([]string{"data", "binaryData", "stringData"}, func(field string) bool { return !reflect.DeepEqual(a[field], b[field]) })
}

// mountsPart says whether a container mounts a part of a volume by its subPath. Such a file
// is not updated while the Pod runs.
func (f *finder) mountsPart(spec any, path string) bool {
	volume, _, _ := strings.Cut(path[strings.Index(path, "volumes["):], "]")
	leaves := Leaves(spec, "spec")
	name := slices.IndexFunc(leaves, func(l Leaf) bool { return strings.HasSuffix(l.Path, volume+"].name") })
	if name < 0 {
		return false
	}
	for _, leaf := range leaves {
		mount, named := strings.CutSuffix(leaf.Path, ".name")
		if !named || !strings.Contains(mount, ".volumeMounts[") || leaf.Value != leaves[name].Value {
			continue
		}
		if slices.ContainsFunc(leaves, func(l Leaf) bool { return l.Path == mount+".subPath" || l.Path == mount+".subPathExpr" }) {
			return true
		}
	}
	return false
}

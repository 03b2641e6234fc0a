package infer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// mapped is a field of the primary object that decides about a part of the children.
type mapped struct {
	Field v1alpha1.Field
	Act   Act
	// Effects that a change of the field had in this role.
	Effects []Effect
	// onlyAtCreation is true if the field had these effects only on new children: a later change
	// of it had no effect.
	onlyAtCreation bool
	// maybeAtCreation is true if a child had the value of the field from the beginning, and a
	// change of it had no effect. Perhaps the field counts at creation: that was not tried.
	maybeAtCreation bool
	// fixed is true if the API server lets nobody change what the field decides about: no
	// controller can follow a change of it without another child.
	fixed bool
}

// hadNoEffect tells whether a change of the field had no effect.
func (m mapped) hadNoEffect() bool { return m.onlyAtCreation || m.maybeAtCreation }

// mappings returns the fields by the roles that they were seen in. If two fields have the
// same role, the first that decides about the main child counts. A profile can name them.
func (r *Record) mappings(main Ref) map[Role]mapped {
	named, _ := r.mapped(main)
	return named
}

// mapped returns the fields that a profile can name, and those that it cannot name, by
// their roles.
func (r *Record) mapped(main Ref) (named, nameless map[Role]mapped) {
	named, nameless = map[Role]mapped{}, map[Role]mapped{}
	add := func(role Role, m mapped) {
		found := nameless
		if profile.CanName(m.Field.Path) {
			found = named
		}
		if m.hadNoEffect() && !r.canChange(m.Effects[0].Child.Kind, m.Effects[0].Path) {
			m.fixed, m.Field.Immutable = true, true
		}
		if _, known := found[role]; !known && !r.unfit(role, m.Field.Path) {
			found[role] = m
		}
	}
	container := r.mainContainer(main)
	for _, act := range r.acts(Change) {
		byRole := map[Role][]Effect{}
		if now := r.mainIn(r.Film.At(act.After), act.Object); now.Name != "" {
			main = now // it may have got another name
		}
		for _, effect := range r.ofContainer(r.Effects(act), main, container) {
			if r.IsWorkload(effect.Child.Kind) && effect.Child != main && effect.Role != RoleDeploymentName {
				continue
			}
			byRole[effect.Role] = append(byRole[effect.Role], effect)
		}
		if isConfigMapRef(act) && !strings.HasSuffix(act.Path, "]") && r.templateChanged(act) { // an entry of a list cannot be taken away
			byRole[RoleConfigMapRef] = []Effect{{Child: main}}
		}
		for role, effects := range byRole {
			field := fieldOf(role, act)
			if role == RoleServicePort && (r.unfit(RolePort, field.Path) || !setsPort(effects) && len(byRole[RolePort]) > 0) {
				continue // the Service only leads to the new port of the Pods
			}
			add(role, mapped{Field: field, Act: act, Effects: effects})
		}
	}
	for _, late := range []map[Role]mapped{r.onlyAtCreation(main), r.maybeAtCreation(main)} {
		for role, m := range late {
			if m.Effects = r.ofContainer(m.Effects, main, container); len(m.Effects) > 0 {
				add(role, m)
			}
		}
	}
	for _, found := range []map[Role]mapped{named, nameless} {
		if port, ok := found[RolePort]; ok && found[RoleServicePort].Field.Path == port.Field.Path {
			delete(found, RoleServicePort) // the Service's port is the same as the container's
		}
	}
	return named, nameless
}

// setsPort tells whether a port of a Service itself has changed, and not only where it leads.
func setsPort(effects []Effect) bool {
	return slices.ContainsFunc(effects, func(e Effect) bool { return strings.HasSuffix(e.Path, "].port") })
}

// askNameless says which fields decide about something, and cannot be in a profile.
func (f *finder) askNameless() {
	for _, role := range slices.Sorted(maps.Keys(f.unnamed)) {
		path := "contract.spec." + string(role)
		if role == RoleServicePort {
			path = "contract.children.service.port"
		}
		if _, mapped := f.fields[role]; !mapped {
			f.offer(path, nil, "%s decides about it (%s), and a profile cannot name that field: of a list it names the first element only, "+
				"and the names on the way must be of letters, digits, _ and -. Does another field decide about it, or can this element be the first of the sample? "+
				"Otherwise, requirements that change it are skipped", f.unnamed[role].Field.Path, f.unnamed[role].inWords())
		}
	}
}

// unchanged says why a value is a constant for a profile.
func (f *finder) unchanged(role Role) string {
	if m, nameless := f.unnamed[role]; nameless {
		return m.Field.Path + " changes it, which a profile cannot name"
	}
	if n := slices.IndexFunc(f.Unfit, func(u Unfit) bool { return u.Role == role }); n >= 0 {
		return f.Unfit[n].Path + ", which decides about it, is left out"
	}
	if role == RolePort && f.unserved != "" {
		return fmt.Sprintf("%s only changes another port of the container, to which the Service does not lead", f.unserved)
	}
	if tried, ok := f.refusedField(role); ok {
		return tried.Path + " has this value, and no other one that was tried was accepted"
	}
	if several := f.alike(f.main)[role]; len(several) > 1 && !f.bornWithChildren() {
		return strings.Join(several, " and ") + " had this value, and nothing showed which of them decides about it"
	} else if len(several) == 1 && slices.Contains(f.Unchanged, several[0]) {
		return several[0] + " had this value, and a change of it was not tried: if it decides about it, write its path"
	}
	if parts := f.parts(role); len(parts) > 0 {
		return parts.inWords() + ", which a profile cannot say"
	}
	if path := f.imageOfAnother(); path != "" && role == RoleImage {
		return path + " only changes that of another container"
	}
	return "no field that was changed changed it"
}

// refusedField returns the last change of a field that may decide about something, as its name
// says so, but of which the API server accepted no other value: so nothing showed whether it
// does.
func (f *finder) refusedField(role Role) (Act, bool) {
	for _, act := range slices.Backward(f.Acts) {
		accepted := func(a Act) bool { return a.Path == act.Path && a.Refused == "" }
		if act.Deed == Change && act.Refused != "" && f.speaksOf(role, act) && !slices.ContainsFunc(f.Acts, accepted) {
			return act, true
		}
	}
	return Act{}, false
}

// speaksOf tells whether a change is of a field that is named after a role, or that was given
// an image.
func (f *finder) speaksOf(role Role, a Act) bool {
	if image, ok := a.To.(string); role == RoleImage {
		return ok && strings.HasSuffix(image, otherImage)
	}
	return isNamedFor(a.Path, role)
}

// askRefused asks about fields of which no other value was accepted.
func (f *finder) askRefused() {
	for _, role := range []Role{RoleImage, RoleReplicas, RolePort} {
		tried, ok := f.refusedField(role)
		if _, mapped := f.fields[role]; mapped || !ok || f.unfit(role, tried.Path) {
			continue
		}
		line, more := fmt.Sprintf("%s: {path: %s}", role, inLine(tried.Path)), ""
		if role == RoleImage {
			line = fmt.Sprintf("image: {path: %s, format: 'registry.mine/{{ .value }}'}", inLine(tried.Path))
			more = ". If the images of scenarios, such as registry.example/demo:v1, can be written so that it accepts them, say how, by format"
		}
		f.offer("contract.spec."+string(role), []string{line}, "does %s set it? No other value that was tried was accepted (%s)%s. Without it, requirements that change it are skipped",
			tried.Path, tried.Refused, more)
	}
}

// isConfigMapRef tells whether a change names another ConfigMap.
func isConfigMapRef(a Act) bool { return a.To == ProbeConfigMap }

// ProbeConfigMap is the name of a ConfigMap that nobody else uses.
const ProbeConfigMap = "reconform-look"

// NameIn returns where the name is in a field that is mapped to configMapRef.
func NameIn(field v1alpha1.Field) string {
	if field.As == v1alpha1.AsName {
		return field.Path
	}
	return field.Path + ".name"
}

func fieldOf(role Role, a Act) v1alpha1.Field {
	field := v1alpha1.Field{Path: a.Path, Immutable: a.Anew}
	switch role {
	case RoleConfigMapRef:
		if object, last := parent(a.Path); last == "name" && object != "spec" {
			field.Path = object
		} else {
			field.As = v1alpha1.AsName
		}
	case RoleReplicas:
		field.Format = FormatOf(a.To)
	case RoleImage:
		if image, ok := a.To.(string); ok && strings.HasSuffix(image, otherImage) && image != otherImage {
			field.Format = strings.TrimSuffix(image, otherImage) + "{{ .value }}"
		}
	case RoleEnv:
		if _, list := a.To.([]any); list {
			field.As = v1alpha1.AsList
		}
	}
	return field
}

// inWords says in words what was seen of a field.
func (m mapped) inWords() string {
	if m.Field.Path == "" || len(m.Effects) == 0 {
		return ""
	}
	effect := m.Effects[0]
	if effect.Path == "" {
		if effect.Child.Name != "" && m.Act.To == ProbeConfigMap {
			return fmt.Sprintf("with another ConfigMap in %s, the Pods of %s became others", m.Act.Path, effect.Child)
		}
		return fmt.Sprintf("with %s: %v, %s was made", m.Act.Path, m.Act.To, effect.Child)
	}
	var also []string
	for _, other := range m.Effects[1:] {
		if other.Child != effect.Child {
			also = append(also, ", and of "+other.Child.String())
		}
	}
	cannot := ""
	if m.fixed {
		cannot = fmt.Sprintf(", as the API server lets nobody change that in a %s. If the controller should make another one, take immutable out", effect.Child.Kind)
	}
	if m.onlyAtCreation {
		return fmt.Sprintf("made with %s: %s, %s had it as %s%s; a change of it was not followed%s",
			m.Act.Path, short(m.Act.To), effect.Child, effect.Path, strings.Join(also, ""), cannot)
	}
	if m.maybeAtCreation {
		return fmt.Sprintf("%s had its value as %s%s; a change of %s to %s was not followed%s",
			effect.Child, effect.Path, strings.Join(also, ""), m.Act.Path, short(m.Act.To), cannot)
	}
	anew := ""
	if m.Act.Anew {
		anew = "; the object was made anew for it, as a change was refused"
	}
	return fmt.Sprintf("with %s: %s, %s of %s followed%s%s", m.Act.Path, short(m.Act.To), effect.Path, effect.Child, strings.Join(also, ""), anew)
}

func short(value any) string {
	switch value.(type) {
	case map[string]any, []any:
		return "{" + probeVariable + "}"
	}
	return fmt.Sprint(value)
}

// constant returns a field with a constant value, or nil if the value cannot be one.
func constant(value any) *v1alpha1.Field {
	if number, ok := whole(value); ok {
		c := intstr.FromInt32(int32(number))
		return &v1alpha1.Field{Constant: &c}
	}
	if text, ok := value.(string); ok && text != "" {
		c := intstr.FromString(text)
		return &v1alpha1.Field{Constant: &c}
	}
	return nil
}

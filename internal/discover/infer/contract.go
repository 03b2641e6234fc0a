package infer

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// findResource names the resource of the contract.
func (f *finder) findResource() {
	names := f.CRD.Spec.Names
	f.Spec.Contract.Resource = v1alpha1.PrimaryResource{
		Group: f.CRD.Spec.Group, Version: f.Version.Name, Kind: names.Kind, Plural: names.Plural, Scope: string(f.CRD.Spec.Scope),
	}
	f.note("contract.resource", Read, "the CRD, in the version of the sample")
}

// imageOptional tells whether an object without an image is accepted: one was tried, or the
// first object, which has the spec of the sample, has none.
func (f *finder) imageOptional(path string) bool {
	_, tried := f.act(Omit)
	return tried || f.first.To != nil && At(map[string]any{"spec": f.first.To}, path) == nil
}

// findFields maps the spec.
func (f *finder) findFields() {
	spec := &f.Spec.Contract.Spec
	for _, field := range []struct {
		role Role
		into **v1alpha1.Field
	}{
		{RoleImage, &spec.Image},
		{RoleReplicas, &spec.Replicas},
		{RolePort, &spec.Port},
		{RoleEnv, &spec.Env},
		{RoleConfigMapRef, &spec.ConfigMapRef},
		{RoleDeploymentName, &spec.DeploymentName},
	} {
		if m, ok := f.fields[field.role]; ok {
			*field.into = m.Field.DeepCopy()
			f.note("contract.spec."+string(field.role), Seen, "%s", m.inWords())
		}
	}
	if len(f.Unchanged) > 0 {
		f.ask("contract.spec", "not tried, because the time for changes of fields was over: %s. Does one of them decide about a child?",
			strings.Join(f.Unchanged, ", "))
	}
	if image := spec.Image; image != nil && image.Path != "" && f.imageOptional(image.Path) {
		image.Optional = true
		f.note("contract.spec.image", Seen, "%s; an object without it is not refused (%s)", f.fields[RoleImage].inWords(), image.Path)
	}
	f.container = cmp.Or(f.mainContainer(f.main), "0")
	at := containersAt(f.workload) + "[" + f.container + "]."
	f.Spec.Contract.Children.Deployment.Container, _ = At(f.deployment.Object, at+"name").(string)
	f.fixed(&spec.Image, "image", at+"image", "the image")
	f.fixed(&spec.Replicas, "replicas", f.workload.Replicas, "the number of replicas")
	container, _ := f.servedPort()
	f.fixed(&spec.Port, "port", fmt.Sprintf("%sports[%d].containerPort", at, container), "the port")
	if _, nameless := f.unnamed[RoleEnv]; spec.Env == nil && !nameless {
		if words := f.ungivenInWords(RoleEnv); words != "" {
			f.offer("contract.spec.env", nil, "no field was seen to set variables of the container. %s", words)
		} else {
			f.ask("contract.spec.env", "no field was seen to set variables of the container: which one does?")
		}
	}
	if _, nameless := f.unnamed[RoleConfigMapRef]; spec.ConfigMapRef == nil && !nameless {
		f.ask("contract.spec.configMapRef", "no field was seen to name a ConfigMap: which one does?")
	}
}

// fixed maps a field to a constant, if it always had the same value as far as was seen, and
// the controller sent it. A value that the API server filled in is nobody's: the controller
// need not restore it.
func (f *finder) fixed(field **v1alpha1.Field, name, path, what string) {
	if *field != nil {
		return
	}
	made := f.counterpartOfLast(f.deployment)
	value := At(made.Object, path)
	if _, text := value.(string); !text || name == "image" {
		*field = constant(value)
	}
	if *field == nil {
		f.ask("contract.spec."+name, "%s was not seen: which field sets it?", what)
		return
	}
	if f.filledIn(made, path) {
		*field = nil
		f.unsent = append(f.unsent, name)
		f.offer("contract.spec."+name, append(Examples()["contract.spec."+name], fmt.Sprintf("%s: {constant: %v}", name, value)), "%s of %s was %v, and the controller never sent it: "+
			"the API server filled it in. Does a field set it, or does the controller set it later, and back?", what, refOf(made), value)
		return
	}
	f.note("contract.spec."+name, Seen, "%s of %s was %v, and %s", what, refOf(made), value, f.unchanged(Role(name)))
}

// counterpartOfLast returns the child of the last created object, from which the base is
// taken, that matches a child of the first object. If there is no such child, it returns
// the given one.
func (f *finder) counterpartOfLast(child *unstructured.Unstructured) *unstructured.Unstructured {
	if creations := f.acts(Create); len(creations) > 1 && !f.Rich {
		if theirs := f.counterpart(refOf(child), f.first, creations[len(creations)-1]); theirs != nil {
			return theirs
		}
	}
	return child
}

// findChildren finds templates for the names of the children.
func (f *finder) findChildren() {
	children := &f.Spec.Contract.Children
	children.Deployment.Name, _ = f.nameOf("children.deployment", f.deployment)
	if container := children.Deployment.Container; container != "" {
		names := []naming{f.naming(f.first, container)}
		for _, other := range f.acts(Create)[1:] {
			if d := f.counterpart(f.main, f.first, other); d != nil {
				if name, ok := At(d.Object, containersAt(f.workload)+"["+f.container+"].name").(string); ok {
					names = append(names, f.naming(other, name))
				}
			}
		}
		text, fits := template(names)
		children.Deployment.Container = text
		f.note("contract.children.deployment.container", Seen, "its containers are called %s", containerNames(f.podTemplate(f.deployment)))
		if !fits {
			children.Deployment.Container, children.Deployment.FirstContainer = "", true
			delete(f.Notes, "contract.children.deployment.container")
			f.note("contract.children.deployment.firstContainer", Guessed, "no template gives the names that were seen")
		}
	}
	if f.service == nil {
		f.ask("contract.children.service", "it made no Service for the Pods of %s: does it make one under other circumstances?", f.main)
		return
	}
	name, fits := f.nameOf("children.service", f.service)
	if !fits {
		said := f.Notes["contract.children.service.name"].Text
		delete(f.Notes, "contract.children.service.name")
		f.ask("contract.children.service", "it made Service %s, but %s. Without it, requirements about a Service are skipped", f.service.GetName(), said)
		return
	}
	children.Service = &v1alpha1.ServiceChild{Name: name}
	f.findServicePort(children.Service)
}

func (f *finder) findServicePort(service *v1alpha1.ServiceChild) {
	if port, ok := f.fields[RolePort]; ok {
		effects := f.Effects(port.Act)
		if port.onlyAtCreation {
			effects = f.onlyAtCreation(f.main)[RoleServicePort].Effects
		}
		for _, effect := range effects {
			if effect.Role == RoleServicePort && strings.HasSuffix(effect.Path, "].port") {
				return // the same as the container's
			}
		}
	}
	if own, ok := f.fields[RoleServicePort]; ok {
		for _, effect := range own.Effects {
			if strings.HasSuffix(effect.Path, "].port") {
				service.Port = own.Field.DeepCopy()
				f.note("contract.children.service.port", Seen, "%s", own.inWords())
				return
			}
		}
	}
	ofContainer, ofService := f.servedPort()
	value := At(f.counterpartOfLast(f.service).Object, fmt.Sprintf("spec.ports[%d].port", ofService))
	container := fmt.Sprintf("%s[%s].ports[%d].containerPort", containersAt(f.workload), f.container, ofContainer)
	if _, followed := f.fields[RolePort]; followed || !same(value, At(f.counterpartOfLast(f.deployment).Object, container)) {
		service.Port = constant(value)
		f.note("contract.children.service.port", Seen, "it was %v, and %s", value, f.unchanged(RoleServicePort))
	}
}

// servedPort returns two indexes: of the first port of the container to which a port of the
// Service leads, and of that port of the Service. If there is none, both are 0.
func (f *finder) servedPort() (container, service int) {
	if f.service == nil {
		return 0, 0
	}
	declared, _ := At(f.counterpartOfLast(f.deployment).Object, containersAt(f.workload)+"["+f.container+"].ports").([]any)
	ports, _ := At(f.counterpartOfLast(f.service).Object, "spec.ports").([]any)
	for i, own := range declared {
		for j, port := range ports {
			if isTarget(port, own) {
				return i, j
			}
		}
	}
	return 0, 0
}

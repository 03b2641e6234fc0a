package profile

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

const inCluster = "spec.launch.inCluster"

// Deployment returns the Deployment that the implementation ships, and the name of its
// container that runs the controller.
func (p *Profile) Deployment() (*appsv1.Deployment, string, error) {
	shipped := p.Spec.Launch.InCluster
	if shipped == nil {
		return nil, "", strictyaml.Problems{p.document.Problem("spec.launch", "inCluster is required here: it says how the controller is shipped")}
	}
	deployment, err := p.findDeployment(shipped)
	if err != nil {
		return nil, "", err
	}
	container, err := p.findContainer(shipped, deployment)
	return deployment, container, err
}

// InClusterFiles returns the files behind launch.inCluster.manifests, with absolute paths.
func (p *Profile) InClusterFiles() ([]string, error) {
	if p.Spec.Launch.InCluster == nil {
		return nil, nil
	}
	return p.files(inCluster+".manifests", p.Spec.Launch.InCluster.Manifests)
}

func (p *Profile) findDeployment(shipped *v1alpha1.LaunchInCluster) (*appsv1.Deployment, error) {
	objects, err := p.shipped(inCluster+".manifests", shipped.Manifests)
	if err != nil {
		return nil, err
	}
	var found []*appsv1.Deployment
	var names []string
	for _, object := range objects {
		if object.GroupVersionKind() != appsv1.SchemeGroupVersion.WithKind("Deployment") {
			continue
		}
		names = append(names, object.GetName())
		if shipped.Deployment != "" && object.GetName() != shipped.Deployment {
			continue
		}
		deployment := &appsv1.Deployment{}
		if err := p.into(object, deployment); err != nil {
			return nil, err
		}
		found = append(found, deployment)
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return nil, strictyaml.Problems{p.document.Problem(inCluster+".deployment", "the manifests have no Deployment%s; they have: %s%s",
			named(shipped.Deployment), orNone(append(names, otherWorkloads(objects)...)), onlyDeployment(names))}
	case shipped.Deployment != "":
		return nil, strictyaml.Problems{p.document.Problem(inCluster+".deployment", "the manifests have %d Deployments%s", len(found), named(shipped.Deployment))}
	default:
		return nil, strictyaml.Problems{p.document.Problem(inCluster+".deployment", "the manifests have several Deployments: name one of %s", strings.Join(names, ", "))}
	}
}

func (p *Profile) findContainer(shipped *v1alpha1.LaunchInCluster, deployment *appsv1.Deployment) (string, error) {
	var names []string
	for _, container := range deployment.Spec.Template.Spec.Containers {
		names = append(names, container.Name)
	}
	switch {
	case slices.Contains(names, shipped.Container):
		return shipped.Container, nil
	case shipped.Container == "" && len(names) == 1:
		return names[0], nil
	case shipped.Container == "":
		return "", strictyaml.Problems{p.document.Problem(inCluster+".container", "Deployment %s has several containers: name one of %s", deployment.Name, orNone(names))}
	default:
		return "", strictyaml.Problems{p.document.Problem(inCluster+".container", "Deployment %s has no container %s; it has: %s", deployment.Name, shipped.Container, orNone(names))}
	}
}

// otherWorkloads returns the workloads that are not Deployments.
func otherWorkloads(objects []shipped) (names []string) {
	for _, object := range objects {
		if kind := object.GroupVersionKind(); kind.Group == appsv1.GroupName && kind.Kind != "Deployment" {
			names = append(names, kind.Kind+" "+object.GetName())
		}
	}
	return names
}

// onlyDeployment says what to do if there is no Deployment at all.
func onlyDeployment(deployments []string) string {
	if len(deployments) > 0 {
		return ""
	}
	return ". Only a Deployment can be started as Pods; without --in-cluster, the controller runs as a process"
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return " " + name
}

// CheckInCluster reports what is wrong with the files that a run in a cluster needs besides
// the profile.
func (p *Profile) CheckInCluster() error {
	_, _, err := p.Deployment()
	return append(p.checkInstall(), p.problemsOf(inCluster, err)...).Err()
}

// checkInCluster checks the arguments, which are templates that may use the keys, and
// compares the ports of the container with those that the profile names.
func (c *checker) checkInCluster(keys []string) {
	launch := c.Spec.Launch
	if launch.InCluster == nil {
		return
	}
	c.checkArgs(inCluster+".args", launch.InCluster.Args, keys)
	for _, name := range c.PortNames() {
		if _, ok := launch.InCluster.Ports[name]; !ok {
			c.add(inCluster+".ports", "does not say which port is %s, and the controller listens on it", name)
		}
	}
	for name, port := range launch.InCluster.Ports {
		at := inCluster + ".ports." + name
		c.checkPortNumber(at, port)
		c.checkPort(at, name)
	}
}

package incluster

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

const (
	// relayProgram is the relay in its image, and relayName the name of its container.
	relayProgram = "/relay"
	relayName    = "reconform-relay"

	// LabelReplica is on the Pods of replicas and of the relay. Nothing of the author's has
	// such a label.
	LabelReplica = "reconform.dev/replica"

	accountVolume = "reconform-account"
	accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"
	tokenSeconds  = 3607 // the same as in every other Pod
	caFile        = "ca.crt"

	// unprivileged is the user that the relay runs as.
	unprivileged = 65532
	// relayPatience is how long a Pod waits for the bench, in seconds.
	relayPatience = 600
)

// deployment returns the author's Deployment, with one Pod that reaches its API server
// through the relay.
func (s *Spec) deployment() *appsv1.Deployment {
	own := s.Deployment.DeepCopy()
	own.ObjectMeta = metav1.ObjectMeta{Name: s.Name, Namespace: s.Namespace, Labels: own.Labels, Annotations: own.Annotations}
	own.Status = appsv1.DeploymentStatus{}
	own.Spec.Replicas = ptr.To[int32](1)
	own.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	own.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{LabelReplica: s.Name}}
	template := &own.Spec.Template
	template.Labels = maps.Clone(template.Labels)
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	template.Labels[LabelReplica] = s.Name
	pod := &template.Spec
	pod.ServiceAccountName, pod.DeprecatedServiceAccount = s.ServiceAccount, ""
	pod.AutomountServiceAccountToken = ptr.To(false)
	pod.HostAliases = append(pod.HostAliases, corev1.HostAlias{IP: s.Host, Hostnames: s.HostNames})
	s.openPort(pod)
	pod.Volumes = append(pod.Volumes, s.account())
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			s.lead(&containers[i])
		}
	}
	for i := range pod.Containers {
		if pod.Containers[i].Name == s.Container {
			s.adjust(&pod.Containers[i])
		}
	}
	// The relay must be the first, because those after it may need the API server.
	pod.InitContainers = slices.Insert(pod.InitContainers, 0, s.relay())
	return own
}

// openPort lets the relay listen on the API server's port without privileges.
func (s *Spec) openPort(pod *corev1.PodSpec) {
	const unprivilegedPorts = "net.ipv4.ip_unprivileged_port_start"
	if pod.SecurityContext == nil {
		pod.SecurityContext = &corev1.PodSecurityContext{}
	}
	for _, sysctl := range pod.SecurityContext.Sysctls {
		if sysctl.Name == unprivilegedPorts {
			return
		}
	}
	pod.SecurityContext.Sysctls = append(pod.SecurityContext.Sysctls, corev1.Sysctl{Name: unprivilegedPorts, Value: s.Port})
}

// account returns the volume with the Pod's ServiceAccount files, but with the proxy's
// certificate.
func (s *Spec) account() corev1.Volume {
	return corev1.Volume{Name: accountVolume, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: ptr.To[int64](tokenSeconds)}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: s.authorityName()},
				Items:                []corev1.KeyToPath{{Key: caFile, Path: caFile}},
			}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{
				{Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}},
			}}},
		},
	}}}
}

// authority returns the proxy's certificate authority, for the Pod.
func (s *Spec) authority() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: s.authorityName(), Namespace: s.Namespace},
		Data:       map[string]string{caFile: string(s.CA)},
	}
}

func (s *Spec) authorityName() string { return s.Name + "-reconform-authority" }

// lead makes a container use the relay.
func (s *Spec) lead(c *corev1.Container) {
	mine := []corev1.EnvVar{{Name: "KUBERNETES_SERVICE_HOST", Value: s.Host}, {Name: "KUBERNETES_SERVICE_PORT", Value: s.Port}}
	c.Env = append(slices.DeleteFunc(c.Env, func(e corev1.EnvVar) bool {
		return e.Name == mine[0].Name || e.Name == mine[1].Name
	}), mine...)
	c.VolumeMounts = append(slices.DeleteFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == accountFolder }),
		corev1.VolumeMount{Name: accountVolume, MountPath: accountFolder, ReadOnly: true})
}

// adjust adjusts the replica's own container to the Subject.
func (s *Spec) adjust(c *corev1.Container) {
	c.Args = append(c.Args, s.Args...)
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		c.Env = append(slices.DeleteFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == name }),
			corev1.EnvVar{Name: name, Value: s.Env[name]})
	}
	if s.Image != "" {
		c.Image = s.Image
	}
}

// relay returns the container in which the bench starts the relay. The containers after it
// wait until the relay listens.
func (s *Spec) relay() corev1.Container {
	return corev1.Container{
		Name: relayName, Image: s.RelayImage, ImagePullPolicy: corev1.PullIfNotPresent,
		Command:       []string{relayProgram, "keep"},
		RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways),
		StartupProbe: &corev1.Probe{
			ProbeHandler:  corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{relayProgram, "check", s.address()}}},
			PeriodSeconds: 1, FailureThreshold: relayPatience, TimeoutSeconds: 5,
		},
		SecurityContext: restricted(),
	}
}

func (s *Spec) address() string { return s.Host + ":" + s.Port }

// restricted returns the security context of a container that needs no rights.
func restricted() *corev1.SecurityContext {
	return &corev1.SecurityContext{
		RunAsUser: ptr.To[int64](unprivileged), RunAsGroup: ptr.To[int64](unprivileged), RunAsNonRoot: ptr.To(true),
		AllowPrivilegeEscalation: ptr.To(false), ReadOnlyRootFilesystem: ptr.To(true),
		Capabilities:   &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

package main

import (
	"fmt"
	"syscall"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/controller/api/v1beta1"
	"reconform.dev/reconform/controller/webapp"
)

func newApp(namespace, name string) *v1beta1.WebApp {
	return &v1beta1.WebApp{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1beta1.WebAppSpec{Image: "nginx:1"},
	}
}

// TestManager runs the manager as a process, with its own RBAC, on a control
// plane with Pods.
func TestManager(t *testing.T) {
	c := startCluster(t)
	p := c.startManager(t)
	eventually(t, p.ready)

	t.Run("Rollout", func(t *testing.T) { testRollout(t, c) })
	t.Run("Drift", func(t *testing.T) { testDrift(t, c) })
	t.Run("Conflict", func(t *testing.T) { testConflict(t, c) })
	t.Run("ConfigMap", func(t *testing.T) { testConfigMap(t, c) })
	t.Run("Deletion", func(t *testing.T) { testDeletion(t, c) })
	t.Run("Validation", func(t *testing.T) { testValidation(t, c) })
	t.Run("Quiet", func(t *testing.T) { testQuiet(t, c, p) })
	p.stop(t, syscall.SIGINT)
	t.Run("Restart", func(t *testing.T) { testRestart(t, c) })
	t.Run("LeaderElection", func(t *testing.T) { testLeaderElection(t, c) })
}

func testRollout(t *testing.T, c *cluster) {
	app := newApp(c.namespace(t), "demo")
	c.create(t, app)
	if app.Spec.Replicas != 2 || app.Spec.Port != 8080 {
		t.Errorf("defaults: %+v", app.Spec)
	}
	c.hasPhase(t, app, v1beta1.PhaseRunning)
	if app.Status.ReadyReplicas != 2 || !meta.IsStatusConditionTrue(app.Status.Conditions, v1beta1.ConditionAvailable) {
		t.Errorf("status: %+v", app.Status)
	}

	edit(t, c, app, func(a *v1beta1.WebApp) { a.Spec.Image, a.Spec.Replicas = "nginx:2", 3 })
	c.hasPhase(t, app, v1beta1.PhaseRunning)
	d := c.deploymentOf(t, app)
	if image := d.Spec.Template.Spec.Containers[0].Image; image != "nginx:2" || app.Status.ReadyReplicas != 3 {
		t.Errorf("image %s, status %+v", image, app.Status)
	}

	c.hasEvents(t, app.Namespace, map[string]string{
		"DeploymentCreated": "Created Deployment demo",
		"ServiceCreated":    "Created Service demo",
		"DeploymentUpdated": "Updated Deployment demo: replicas, image",
	})
}

func testDrift(t *testing.T, c *cluster) {
	app := newApp(c.namespace(t), "demo")
	c.create(t, app)
	c.hasPhase(t, app, v1beta1.PhaseRunning)
	d := c.deploymentOf(t, app)
	edit(t, c, d, func(d *appsv1.Deployment) {
		d.Spec.Replicas = new(int32(0))
		pod := &d.Spec.Template.Spec
		pod.Containers[0].Image = "evil"
		pod.Containers[0].Ports[0].ContainerPort = 9090
		pod.Containers = append(pod.Containers, corev1.Container{Name: "sidecar", Image: "envoy"})
	})
	s := &corev1.Service{ObjectMeta: d.ObjectMeta}
	edit(t, c, s, func(s *corev1.Service) {
		s.Spec.Type = corev1.ServiceTypeNodePort
		s.Spec.Ports[0].Port = 9090
		s.Spec.Selector = map[string]string{"app": "other"}
	})
	nodePort := s.Spec.Ports[0].NodePort

	eventually(t, func() string {
		d := c.deploymentOf(t, app)
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(app), s); err != nil {
			return err.Error()
		}
		containers := d.Spec.Template.Spec.Containers
		healed := *d.Spec.Replicas == 2 && len(containers) == 2 && containers[0].Image == "nginx:1" &&
			len(containers[0].Ports) == 1 && containers[0].Ports[0].ContainerPort == 8080 &&
			len(s.Spec.Ports) == 1 && s.Spec.Ports[0].Port == 8080 && s.Spec.Selector["app"] == "demo"
		if !healed || s.Spec.Ports[0].NodePort != nodePort {
			return fmt.Sprintf("Deployment %+v\nService %+v", d.Spec, s.Spec)
		}
		return ""
	})
	if err := c.Delete(t.Context(), d, client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() string {
		d := &appsv1.Deployment{}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(app), d); err != nil || d.UID == "" {
			return fmt.Sprint("no Deployment: ", err)
		}
		if d.DeletionTimestamp != nil {
			return "the old Deployment is still there"
		}
		return ""
	})
	c.hasPhase(t, app, v1beta1.PhaseRunning)
}

func testConflict(t *testing.T, c *cluster) {
	app := newApp(c.namespace(t), "demo")
	labels := map[string]string{"app": "other"}
	stranger := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: app.Name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "other", Image: "other"}}},
			},
		},
	}
	c.create(t, stranger)
	c.create(t, app)
	c.hasPhase(t, app, v1beta1.PhaseDegraded)
	if cond := meta.FindStatusCondition(app.Status.Conditions, v1beta1.ConditionDegraded); cond.Reason != webapp.ReasonNameConflict {
		t.Errorf("condition: %+v", cond)
	}
	if d := c.deploymentOf(t, app); d.Generation != 1 || len(d.OwnerReferences) > 0 || len(d.Labels) > 0 {
		t.Errorf("the stranger was touched: %+v", d)
	}
	if err := c.Delete(t.Context(), stranger); err != nil {
		t.Fatal(err)
	}
	c.hasPhase(t, app, v1beta1.PhaseRunning)
}

func testConfigMap(t *testing.T, c *cluster) {
	app := newApp(c.namespace(t), "demo")
	app.Spec.ConfigMapRef = &v1beta1.ConfigMapReference{Name: "settings"}
	c.create(t, app)
	c.hasPhase(t, app, v1beta1.PhaseDegraded)

	settings := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: "settings"},
		Data:       map[string]string{"COLOUR": "blue"},
	}
	c.create(t, settings)
	c.hasPhase(t, app, v1beta1.PhaseRunning)
	before := c.deploymentOf(t, app)

	edit(t, c, settings, func(cm *corev1.ConfigMap) { cm.Data["COLOUR"] = "red" })
	eventually(t, func() string {
		if d := c.deploymentOf(t, app); d.Status.ObservedGeneration <= before.Generation {
			return "no new rollout"
		}
		return ""
	})
	c.hasPhase(t, app, v1beta1.PhaseRunning)
}

func testDeletion(t *testing.T, c *cluster) {
	app := newApp(c.namespace(t), "demo")
	c.create(t, app)
	c.hasPhase(t, app, v1beta1.PhaseRunning)
	old := c.deploymentOf(t, app)

	if err := c.Delete(t.Context(), app, client.PropagationPolicy(metav1.DeletePropagationBackground)); err != nil {
		t.Fatal(err)
	}
	app = newApp(app.Namespace, app.Name)
	c.create(t, app)
	c.hasPhase(t, app, v1beta1.PhaseRunning)
	if d := c.deploymentOf(t, app); d.UID == old.UID || !metav1.IsControlledBy(d, app) {
		t.Errorf("Deployment of the WebApp before: %+v", d.ObjectMeta)
	}

	if err := c.Delete(t.Context(), app, client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
		t.Fatal(err)
	}
	for _, left := range []client.Object{app, &appsv1.Deployment{}, &corev1.Service{}} {
		eventually(t, func() string {
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(app), left); !apierrors.IsNotFound(err) {
				return fmt.Sprintf("%T is left: %v", left, err)
			}
			return ""
		})
	}
}

func testValidation(t *testing.T, c *cluster) {
	namespace := c.namespace(t)
	long := "a23456789-123456789-123456789-123456789-123456789-123456789-123"
	tests := map[string]struct {
		edit    func(*v1beta1.WebApp)
		allowed bool
	}{
		"plain":             {func(*v1beta1.WebApp) {}, true},
		"longest name":      {func(a *v1beta1.WebApp) { a.Name = long }, true},
		"name too long":     {func(a *v1beta1.WebApp) { a.Name = long + "4" }, false},
		"name with dots":    {func(a *v1beta1.WebApp) { a.Name = "a.b" }, false},
		"name with a digit": {func(a *v1beta1.WebApp) { a.Name = "1a" }, false},
		"no image":          {func(a *v1beta1.WebApp) { a.Spec.Image = "" }, false},
		"image with space":  {func(a *v1beta1.WebApp) { a.Spec.Image = "a b" }, false},
		"most replicas":     {func(a *v1beta1.WebApp) { a.Spec.Replicas = 50 }, true},
		"too many replicas": {func(a *v1beta1.WebApp) { a.Spec.Replicas = 51 }, false},
		"negative replicas": {func(a *v1beta1.WebApp) { a.Spec.Replicas = -1 }, false},
		"highest port":      {func(a *v1beta1.WebApp) { a.Spec.Port = 65535 }, true},
		"port too high":     {func(a *v1beta1.WebApp) { a.Spec.Port = 65536 }, false},
		"variable":          {func(a *v1beta1.WebApp) { a.Spec.Env = map[string]string{"_a1": ""} }, true},
		"variable with =":   {func(a *v1beta1.WebApp) { a.Spec.Env = map[string]string{"A=B": ""} }, false},
		"unnamed variable":  {func(a *v1beta1.WebApp) { a.Spec.Env = map[string]string{"": ""} }, false},
		"unnamed ConfigMap": {func(a *v1beta1.WebApp) { a.Spec.ConfigMapRef = &v1beta1.ConfigMapReference{} }, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			app := newApp(namespace, "demo")
			tc.edit(app)
			err := c.Create(t.Context(), app, client.DryRunAll)
			if (err == nil) != tc.allowed || err != nil && !apierrors.IsInvalid(err) {
				t.Errorf("allowed: %t, error: %v", tc.allowed, err)
			}
		})
	}
}

// testQuiet touches everything in ways that must not lead to a write, and counts
// the requests.
func testQuiet(t *testing.T, c *cluster, p *process) {
	app := newApp(c.namespace(t), "demo")
	c.create(t, app)
	c.hasPhase(t, app, v1beta1.PhaseRunning)
	c.hasEvents(t, app.Namespace, map[string]string{
		"DeploymentCreated": "Created Deployment demo",
		"ServiceCreated":    "Created Service demo",
	})

	before, seen := p.writes(t), p.reconciles(t)
	note := func(obj client.Object) { obj.SetAnnotations(map[string]string{"note": "x"}) }
	edit(t, c, app, func(a *v1beta1.WebApp) { note(a) })
	edit(t, c, &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: app.Namespace, Name: app.Name}}, func(s *corev1.Service) { note(s) })
	eventually(t, func() string {
		if p.reconciles(t) == seen {
			return "not reconciled"
		}
		return ""
	})
	if n := p.writes(t) - before; n > 0 {
		t.Errorf("%v writes", n)
	}
	if n := p.sum(t, "webapp_managed", map[string][]string{"phase": {"Running"}}); n == 0 {
		t.Error("no WebApp counted as running")
	}
}

// testRestart restarts the manager if there is nothing to do.
func testRestart(t *testing.T, c *cluster) {
	var apps v1beta1.WebAppList
	if err := c.List(t.Context(), &apps); err != nil {
		t.Fatal(err)
	}
	p := c.startManager(t)
	eventually(t, func() string {
		if n := p.reconciles(t); n < float64(len(apps.Items)) {
			return fmt.Sprintf("%v of %d reconciled", n, len(apps.Items))
		}
		return ""
	})
	if n := p.writes(t); n > 0 {
		t.Errorf("%v writes", n)
	}
	p.stop(t, syscall.SIGTERM)
}

// testLeaderElection ends the leader, and expects its standby, long ready, to
// take over at once.
func testLeaderElection(t *testing.T, c *cluster) {
	args := []string{"--leader-elect", "--leader-elect-resource-namespace", metav1.NamespaceDefault}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceDefault, Name: "webapp-controller"}}
	holder := func() string {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(lease), lease); err != nil || lease.Spec.HolderIdentity == nil {
			return ""
		}
		return *lease.Spec.HolderIdentity
	}
	held := func() string {
		if holder() == "" {
			return "nobody holds the Lease"
		}
		return ""
	}

	leader := c.startManager(t, args...)
	eventually(t, held)
	first := holder()
	standby := c.startManager(t, args...)
	eventually(t, standby.ready)

	app := newApp(c.namespace(t), "demo")
	c.create(t, app)
	c.hasPhase(t, app, v1beta1.PhaseRunning)
	if n := standby.reconciles(t); n > 0 {
		t.Errorf("the standby reconciled %v times", n)
	}

	leader.stop(t, syscall.SIGTERM)
	if now := holder(); now == first {
		t.Errorf("%s did not give the Lease back", first)
	}
	edit(t, c, app, func(a *v1beta1.WebApp) { a.Spec.Replicas = 1 })
	c.hasPhase(t, app, v1beta1.PhaseRunning)
	if holder() == first || standby.reconciles(t) == 0 {
		t.Errorf("%s holds the Lease, the standby reconciled %v times", holder(), standby.reconciles(t))
	}
}

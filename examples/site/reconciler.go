package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const (
	container = "web"
	labelSite = "sites.example.com/name"
)

type reconciler struct{ client.Client }

// Reconcile makes the Deployment of a Site, heals it, and tells how many Pods are ready.
// A failure is returned, so that it is retried after a growing pause.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	site := &Site{}
	if err := r.Get(ctx, request.NamespacedName, site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if site.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // the garbage collector does the rest
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name + "-web"}}
	// It writes only if something differs.
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		if deployment.ResourceVersion != "" && !metav1.IsControlledBy(deployment, site) {
			return fmt.Errorf("deployment %s belongs to somebody else", deployment.Name)
		}
		shape(deployment, site)
		return controllerutil.SetControllerReference(site, deployment, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("making the Deployment of Site %s: %w", site.Name, err)
	}
	if site.Status.Ready == deployment.Status.ReadyReplicas {
		return ctrl.Result{}, nil
	}
	site.Status.Ready = deployment.Status.ReadyReplicas
	if err := r.Status().Update(ctx, site); err != nil {
		return ctrl.Result{}, fmt.Errorf("updating the status of Site %s: %w", site.Name, err)
	}
	return ctrl.Result{}, nil
}

// shape sets what a Site decides, and leaves all else.
func shape(d *appsv1.Deployment, site *Site) {
	labels := map[string]string{labelSite: site.Name}
	d.Spec.Replicas = &site.Spec.Size
	if d.Spec.Selector == nil { // it cannot be changed
		d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	}
	template := &d.Spec.Template
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	template.Labels[labelSite] = site.Name
	for i := range template.Spec.Containers {
		if template.Spec.Containers[i].Name == container {
			template.Spec.Containers[i].Image = site.Spec.Image
			return
		}
	}
	template.Spec.Containers = append(template.Spec.Containers, corev1.Container{Name: container, Image: site.Spec.Image})
}

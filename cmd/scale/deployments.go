package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// deployments stands in for Kubernetes' own controller: all Pods of a Deployment are ready
// as soon as it exists.
type deployments struct {
	client kubernetes.Interface
	lister appslisters.DeploymentNamespaceLister
	queue  workqueue.TypedRateLimitingInterface[string]
}

// serveDeployments until the context ends.
func serveDeployments(ctx context.Context, client kubernetes.Interface) (*deployments, error) {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Apps().V1().Deployments()
	d := &deployments{
		client: client, lister: informer.Lister().Deployments(namespace),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]()),
	}
	add := func(object any) { d.queue.Add(object.(*appsv1.Deployment).Name) }
	_, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: add, UpdateFunc: func(_, now any) { add(now) },
	})
	if err != nil {
		return nil, fmt.Errorf("watching Deployments: %w", err)
	}
	factory.StartWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.Informer().HasSynced) {
		return nil, fmt.Errorf("watching Deployments: %w", ctx.Err())
	}
	context.AfterFunc(ctx, d.queue.ShutDown)
	for range sideBySide {
		go func() {
			for d.serve(ctx) {
				continue
			}
		}()
	}
	return d, nil
}

// serve the next Deployment of the queue.
func (d *deployments) serve(ctx context.Context) bool {
	name, over := d.queue.Get()
	if over {
		return false
	}
	defer d.queue.Done(name)
	deployment, err := d.lister.Get(name)
	if err != nil || deployment.Status.ObservedGeneration == deployment.Generation {
		return true
	}
	deployment = deployment.DeepCopy()
	count := *deployment.Spec.Replicas
	deployment.Status = appsv1.DeploymentStatus{
		ObservedGeneration: deployment.Generation,
		Replicas:           count, UpdatedReplicas: count, ReadyReplicas: count, AvailableReplicas: count,
		Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "MinimumReplicasAvailable", LastUpdateTime: metav1.Now()},
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable", LastUpdateTime: metav1.Now()},
		},
	}
	if _, err := d.client.AppsV1().Deployments(namespace).UpdateStatus(ctx, deployment, metav1.UpdateOptions{}); err != nil {
		d.queue.AddRateLimited(name) // it has been changed, or is gone
		return true
	}
	d.queue.Forget(name)
	return true
}

// ready returns how many Deployments have a status of their present generation.
func (d *deployments) ready() int {
	all, err := d.lister.List(labels.Everything())
	if err != nil {
		return 0 // it only reads a cache
	}
	count := 0
	for _, deployment := range all {
		if deployment.Status.ObservedGeneration == deployment.Generation {
			count++
		}
	}
	return count
}

// replicas of the Deployment of that name.
func (d *deployments) replicas(name string) int32 {
	deployment, err := d.lister.Get(name)
	if err != nil || deployment.Spec.Replicas == nil {
		return 0
	}
	return *deployment.Spec.Replicas
}

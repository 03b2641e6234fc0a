package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	// CPUAnnotation is the annotation of a Pod that says how much CPU it uses: "250m", for
	// example. Without it, the Pod uses none.
	CPUAnnotation = "reconform.dev/cpu"
	// MemoryAnnotation says how much memory it uses: "64Mi", for example.
	MemoryAnnotation = "reconform.dev/memory"

	group    = "metrics.k8s.io"
	version  = "v1beta1"
	basePath = "/apis/" + group + "/" + version
	// window is the time over which a value is measured. It is short because the
	// autoscaler ignores a value if the Pod became ready during this time.
	window = time.Second
)

// podMetrics has the fields of the type with this name in k8s.io/metrics.
type podMetrics struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Timestamp         metav1.Time        `json:"timestamp"`
	Window            metav1.Duration    `json:"window"`
	Containers        []containerMetrics `json:"containers"`
}

type containerMetrics struct {
	Name  string              `json:"name"`
	Usage corev1.ResourceList `json:"usage"`
}

type podMetricsList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []podMetrics `json:"items"`
}

// NewHandler returns the server of the API. It looks up the Pods in cluster for each
// request.
func NewHandler(cluster kubernetes.Interface) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+basePath, func(w http.ResponseWriter, _ *http.Request) { write(w, http.StatusOK, resources()) })
	list := answer(func(r *http.Request) (any, error) {
		return list(r.Context(), cluster, r.PathValue("namespace"), metav1.ListOptions{
			LabelSelector: r.FormValue("labelSelector"), FieldSelector: r.FormValue("fieldSelector"),
		})
	})
	mux.HandleFunc("GET "+basePath+"/pods", list)
	mux.HandleFunc("GET "+basePath+"/namespaces/{namespace}/pods", list)
	mux.HandleFunc("GET "+basePath+"/namespaces/{namespace}/pods/{name}", answer(func(r *http.Request) (any, error) {
		pod, err := cluster.CoreV1().Pods(r.PathValue("namespace")).Get(r.Context(), r.PathValue("name"), metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if !measured(pod) {
			return nil, apierrors.NewNotFound(corev1.Resource("pods.metrics"), pod.Name)
		}
		return of(pod)
	}))
	return mux
}

// answer returns a handler that writes what get returns.
func answer(get func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		found, err := get(r)
		if err != nil {
			status := apierrors.NewInternalError(err).Status()
			var known apierrors.APIStatus
			if errors.As(err, &known) {
				status = known.Status()
			}
			status.APIVersion, status.Kind = "v1", "Status"
			write(w, int(status.Code), status)
			return
		}
		write(w, http.StatusOK, found)
	}
}

func write(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

func resources() *metav1.APIResourceList {
	return &metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: group + "/" + version,
		APIResources: []metav1.APIResource{{Name: "pods", SingularName: "pod", Namespaced: true, Kind: "PodMetrics", Verbs: metav1.Verbs{"get", "list"}}},
	}
}

func list(ctx context.Context, cluster kubernetes.Interface, namespace string, selected metav1.ListOptions) (any, error) {
	pods, err := cluster.CoreV1().Pods(namespace).List(ctx, selected)
	if err != nil {
		return nil, err
	}
	all := &podMetricsList{TypeMeta: metav1.TypeMeta{APIVersion: group + "/" + version, Kind: "PodMetricsList"}, Items: []podMetrics{}}
	for _, pod := range pods.Items {
		if !measured(&pod) {
			continue
		}
		one, err := of(&pod)
		if err != nil {
			return nil, err
		}
		all.Items = append(all.Items, *one)
	}
	return all, nil
}

// measured says whether a Pod has values: only a running Pod does.
func measured(pod *corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning }

// of returns the values of a Pod. Its first container uses all that the annotations
// say, and the others, and sidecars, use nothing.
func of(pod *corev1.Pod) (*podMetrics, error) {
	metrics := &podMetrics{
		TypeMeta:   metav1.TypeMeta{APIVersion: group + "/" + version, Kind: "PodMetrics"},
		ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace, Labels: pod.Labels, CreationTimestamp: metav1.Now()},
		Timestamp:  metav1.Now(), Window: metav1.Duration{Duration: window},
	}
	sidecars := slices.DeleteFunc(slices.Clone(pod.Spec.InitContainers), func(c corev1.Container) bool {
		return c.RestartPolicy == nil || *c.RestartPolicy != corev1.ContainerRestartPolicyAlways
	})
	for i, container := range slices.Concat(pod.Spec.Containers, sidecars) {
		usage := corev1.ResourceList{}
		for name, annotation := range map[corev1.ResourceName]string{corev1.ResourceCPU: CPUAnnotation, corev1.ResourceMemory: MemoryAnnotation} {
			text := pod.Annotations[annotation]
			if text == "" || i > 0 {
				text = "0"
			}
			amount, err := resource.ParseQuantity(text)
			if err != nil {
				return nil, apierrors.NewBadRequest(fmt.Sprintf("the annotation %s of the Pod %s/%s is %q, which is not a quantity such as 250m or 64Mi: %v",
					annotation, pod.Namespace, pod.Name, text, err))
			}
			usage[name] = amount
		}
		metrics.Containers = append(metrics.Containers, containerMetrics{Name: container.Name, Usage: usage})
	}
	return metrics, nil
}

package main

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "sites.example.com", Version: "v1"}

// Site is a web server with some replicas.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SiteSpec   `json:"spec"`
	Status            SiteStatus `json:"status,omitempty"`
}

// SiteSpec is what is wanted.
type SiteSpec struct {
	Image string `json:"image"`
	Size  int32  `json:"size"` // the CRD has a default
}

// SiteStatus is what there is.
type SiteStatus struct {
	Ready int32 `json:"ready,omitempty"`
}

// SiteList is needed to list and watch.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (s *Site) DeepCopyObject() runtime.Object {
	clone := *s
	clone.ObjectMeta = *s.ObjectMeta.DeepCopy()
	return &clone
}

// DeepCopyObject implements runtime.Object.
func (l *SiteList) DeepCopyObject() runtime.Object {
	clone := *l
	clone.ListMeta = *l.ListMeta.DeepCopy()
	clone.Items = make([]Site, len(l.Items))
	for i := range l.Items {
		clone.Items[i] = *l.Items[i].DeepCopyObject().(*Site)
	}
	return &clone
}

func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(groupVersion, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return scheme, appsv1.AddToScheme(scheme)
}

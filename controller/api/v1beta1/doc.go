// Package v1beta1 is the API of the reference controller: the WebApp.
//
// +kubebuilder:object:generate=true
// +groupName=apps.kubedojo.io
package v1beta1

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/internal/profile"
)

const (
	// namespace of all objects.
	namespace = "scale"
	// sideBySide is how many requests this program makes at once.
	sideBySide = 16
)

// primaries are the objects that a controller serves.
type primaries struct {
	profile *profile.Profile
	client  dynamic.ResourceInterface
}

func newPrimaries(p *profile.Profile, c *plane) (*primaries, error) {
	client, err := dynamic.NewForConfig(c.admin)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	r := p.Spec.Contract.Resource
	resource := schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Plural}
	return &primaries{profile: p, client: client.Resource(resource).Namespace(namespace)}, nil
}

// makeNamespace that all objects are in.
func makeNamespace(ctx context.Context, client kubernetes.Interface) error {
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	return err
}

func name(i int) string { return fmt.Sprintf("demo-%d", i) }

// object returns the one with that number, as the profile describes it.
func (s *primaries) object(i int) (*unstructured.Unstructured, error) {
	root, err := s.profile.Root(name(i))
	if err != nil {
		return nil, err
	}
	spec, err := s.profile.Base(name(i))
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: root}
	object.Object["spec"] = spec
	r := s.profile.Spec.Contract.Resource
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind})
	object.SetName(name(i))
	object.SetNamespace(namespace)
	for field, value := range map[string]any{"image": "registry.example/demo:v1", "replicas": int64(1), "port": int64(8080)} {
		mapped, ok := s.profile.SpecFields()[field]
		if !ok || mapped.Path == "" {
			continue
		}
		if mapped.Format != "" || strings.Contains(mapped.Path, "[") {
			return nil, fmt.Errorf("the field %s of the profile %s is written in a way that this program does not know", mapped.Path, s.profile.Name)
		}
		if err := unstructured.SetNestedField(object.Object, value, strings.Split(mapped.Path, ".")...); err != nil {
			return nil, fmt.Errorf("making an object: %w", err)
		}
	}
	return object, nil
}

// create that many objects, as fast as the API server accepts them.
func (s *primaries) create(ctx context.Context, count int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	for i := range count {
		group.Go(func() error {
			object, err := s.object(i)
			if err != nil {
				return err
			}
			_, err = s.client.Create(ctx, object, metav1.CreateOptions{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("creating objects: %w", err)
	}
	return nil
}

// scale the object with that number, by the field that the profile names.
func (s *primaries) scale(ctx context.Context, i int, replicas int64) error {
	field, ok := s.profile.SpecFields()["replicas"]
	if !ok || field.Path == "" {
		return errors.New("the profile maps no field for the replicas")
	}
	patch := map[string]any{}
	if err := unstructured.SetNestedField(patch, replicas, strings.Split(field.Path, ".")...); err != nil {
		return err
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	_, err = s.client.Patch(ctx, name(i), types.MergePatchType, text, metav1.PatchOptions{})
	return err
}

package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const (
	servedWithin = 30 * time.Second
	mostLines    = 60 // of a difference
)

// Define creates the definitions that the cluster lacks, marked as the bench's. An existing
// one that is equal is kept. If it differs, it is replaced if replace is true. Otherwise
// nothing is changed, and the error says how it differs. Define returns when all are served.
func Define(ctx context.Context, config *rest.Config, definitions []*apiextensionsv1.CustomResourceDefinition, replace bool) error {
	client, err := apiextensions.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("installing CRDs: %w", err)
	}
	crds := client.ApiextensionsV1().CustomResourceDefinitions()
	var changes []func() error
	var different []string
	for _, definition := range definitions {
		present, err := crds.Get(ctx, definition.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			changes = append(changes, func() error {
				ours := definition.DeepCopy()
				metav1.SetMetaDataLabel(&ours.ObjectMeta, v1alpha1.LabelBench, v1alpha1.BenchMade)
				_, err := crds.Create(ctx, ours, metav1.CreateOptions{})
				return err
			})
			continue
		}
		if err != nil {
			return fmt.Errorf("reading CustomResourceDefinition %s: %w", definition.Name, err)
		}
		wanted := present.DeepCopy()
		wanted.Spec = definition.Spec
		// A dry run, so that the API server fills in the defaults.
		result, err := crds.Update(ctx, wanted, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		switch {
		case err != nil:
			different = append(different, definition.Name+" cannot be made the same: "+err.Error())
		case equality.Semantic.DeepEqual(present.Spec, result.Spec):
		case replace:
			changes = append(changes, func() error {
				_, err := crds.Update(ctx, wanted, metav1.UpdateOptions{})
				return err
			})
		default:
			different = append(different, definition.Name+" (-cluster +profile):\n"+shorten(cmp.Diff(present.Spec, result.Spec)))
		}
	}
	if len(different) > 0 {
		return fmt.Errorf("the cluster has CRDs that are not the same, and nothing was changed (--replace-crds replaces them): %s", strings.Join(different, "\n"))
	}
	for _, change := range changes {
		if err := change(); err != nil {
			return fmt.Errorf("installing CRDs: %w", err)
		}
	}
	err = envtest.WaitForCRDs(config, definitions, envtest.CRDInstallOptions{MaxTime: servedWithin, PollInterval: 50 * time.Millisecond})
	if err != nil {
		return errors.Join(errors.New("waiting for the CRDs to be served"), err)
	}
	return nil
}

func shorten(difference string) string {
	lines := strings.Split(strings.TrimSpace(difference), "\n")
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("… and %d lines more", more))
	}
	return strings.Join(lines, "\n")
}

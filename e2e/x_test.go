package e2e
import (
 _ "sigs.k8s.io/kind/pkg/cluster"
 _ "sigs.k8s.io/kind/pkg/cluster/nodeutils"
 _ "sigs.k8s.io/e2e-framework/pkg/env"
 _ "reconform.dev/reconform/conformance/api/v1alpha1"
)

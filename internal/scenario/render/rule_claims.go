package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// claimed skips a rule that uses a claim, such as claims.events.updated, if the profile
// does not make it.
func (e *ruleEvaluation) claimed(n ast.Expr) error {
	if e.asks {
		return nil
	}
	var path []string
	for ; n.Kind() == ast.SelectKind; n = n.AsSelect().Operand() {
		path = append(path, n.AsSelect().FieldName())
	}
	if n.Kind() != ast.IdentKind || n.AsIdent() != "claims" || len(path) == 0 {
		return nil
	}
	slices.Reverse(path)
	claims, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&e.profile.Spec.Claims)
	if err != nil {
		return fmt.Errorf("reading the claims: %w", err)
	}
	if _, found, _ := unstructured.NestedFieldNoCopy(claims, path...); found {
		return nil
	}
	return e.skip("its rule needs claims.%s, and the profile has none", strings.Join(path, "."))
}

package play

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// webhook checks the answers of a webhook to the API server: which WebApps it refuses,
// and how it changes the others.
func webhook() play {
	return play{rules: []rule{
		{"webhook/refuses", "refuses a new WebApp whose image has neither a tag nor a digest, and names spec.image", refuses},
		{"webhook/updates", "refuses an update that gives a WebApp such an image", updates},
		{"webhook/defaults", "puts registry.example/ before an image that names no registry, and changes nothing else", defaults},
		{"webhook/repeats", "leaves an image that names a registry as it is", repeats},
		{"webhook/old", "lets a WebApp that was there before the rule be scaled, and lose its finalizers when it is deleted", old},
	}}
}

const (
	complete  = "registry.example/demo:v1"
	untagged  = "registry.example/demo"
	port      = "registry.example:5000/demo" // has a colon, and no tag
	withPort  = "registry.example:5000/demo:v1"
	shortName = "demo:v1"
	// untaggedShort has neither a registry nor a tag.
	untaggedShort = "demo"
	teamName      = "team/demo:v1" // has a slash, and no registry
)

func refuses(ctx context.Context, s *stage) error {
	for name, image := range map[string]string{"untagged": untagged, "port": port} {
		if err := refusal(fmt.Sprintf("a new WebApp with the image %s", image), s.createOf(ctx, name, image)); err != nil {
			return err
		}
	}
	for name, image := range map[string]string{"tagged": complete, "digest": untagged + "@sha256:" + strings.Repeat("0", 64)} {
		if err := accepted(fmt.Sprintf("a new WebApp with the image %s", image), s.createOf(ctx, name, image)); err != nil {
			return err
		}
	}
	return nil
}

func updates(ctx context.Context, s *stage) error {
	err := s.patch(ctx, "tagged", fmt.Sprintf(`{"spec":{"image":%q}}`, untagged))
	return refusal("an update to the image "+untagged, err)
}

// refusal expects the error of a refused request, with the field that is wrong.
func refusal(what string, err error) error {
	switch {
	case err == nil:
		return &unmet{found: what + " is accepted"}
	case !denied(err):
		return answered(what, err)
	case !strings.Contains(err.Error(), "spec.image"):
		return &unmet{found: fmt.Sprintf("%s is refused, and spec.image is not named: %v", what, err)}
	}
	return nil
}

// accepted expects that a request has succeeded.
func accepted(what string, err error) error {
	if err == nil {
		return nil
	}
	if denied(err) {
		return &unmet{found: fmt.Sprintf("%s is refused: %v", what, err)}
	}
	return answered(what, err)
}

func denied(err error) bool { return strings.Contains(err.Error(), "denied the request") }

// answered says what the API server made of an answer that it could not use. It returns
// other errors as they are.
func answered(what string, err error) error {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return &unmet{found: fmt.Sprintf("%s: %v", what, err)}
	}
	return err
}

func defaults(ctx context.Context, s *stage) error {
	for name, image := range map[string]string{"short": shortName, "team": teamName} {
		if err := accepted("a new WebApp with the image "+image, s.createOf(ctx, name, image)); err != nil {
			return err
		}
		if err := s.hasImage(ctx, name, "registry.example/"+image); err != nil {
			return err
		}
	}
	return s.restStays(ctx)
}

// restStays creates a WebApp whose other fields are not those that the schema would fill in.
func (s *stage) restStays(ctx context.Context) error {
	const name = "wide"
	spec := map[string]any{"image": shortName, "replicas": int64(3), "port": int64(9090)}
	if err := accepted("a new WebApp with the image "+shortName, s.createWith(ctx, name, spec)); err != nil {
		return err
	}
	app, err := s.client.Resource(webApps).Namespace(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("looking at WebApp %s: %w", name, err)
	}
	for field, want := range spec {
		if have, _, _ := unstructured.NestedFieldNoCopy(app.Object, "spec", field); field != "image" && have != want {
			return &unmet{found: fmt.Sprintf("WebApp %s was created with spec.%s: %v, and got the default for its image; now spec.%s is %v", name, field, want, field, have)}
		}
	}
	return nil
}

// repeats writes WebApps again, and others that have a registry from the beginning: one is known by
// a dot, a port, or as localhost.
func repeats(ctx context.Context, s *stage) error {
	if err := accepted("scaling a WebApp", s.scale(ctx, "short", 3)); err != nil {
		return err
	}
	if err := s.hasImage(ctx, "short", "registry.example/"+shortName); err != nil {
		return err
	}
	for name, image := range map[string]string{"with-port": withPort, "port-only": "registry:5000/demo:v1", "local": "localhost/demo:v1"} {
		if err := accepted("a new WebApp with the image "+image, s.createOf(ctx, name, image)); err != nil {
			return err
		}
		if err := s.hasImage(ctx, name, image); err != nil {
			return err
		}
	}
	return nil
}

// hasImage expects the image of a WebApp.
func (s *stage) hasImage(ctx context.Context, name, want string) error {
	app, err := s.client.Resource(webApps).Namespace(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("looking at WebApp %s: %w", name, err)
	}
	image, _, err := unstructured.NestedString(app.Object, "spec", "image")
	if err != nil {
		return fmt.Errorf("looking at WebApp %s: %w", name, err)
	}
	if image != want {
		return &unmet{found: fmt.Sprintf("the image of WebApp %s is %s, want %s", name, image, want)}
	}
	return nil
}

// old creates WebApps that break the rule while the controller is not there. One of them
// would also get a default, and must not be refused because of that.
func old(ctx context.Context, s *stage) error {
	if _, err := s.disrupt(ctx, v1alpha1.ActionTerminate); err != nil {
		return err
	}
	if err := s.createOf(ctx, "old", untagged, "scenarios.reconform.dev/hold"); err != nil {
		return err
	}
	if err := s.createOf(ctx, "old-short", untaggedShort, "scenarios.reconform.dev/hold"); err != nil {
		return err
	}
	if _, err := s.disrupt(ctx, v1alpha1.ActionRestart); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	if err := s.oldStays(ctx, "old", "a WebApp that was there before the rule"); err != nil {
		return err
	}
	return s.oldStays(ctx, "old-short", "a WebApp that was there before the rule with the image "+untaggedShort)
}

// oldStays changes a WebApp that was there before the rule, and deletes it.
func (s *stage) oldStays(ctx context.Context, name, what string) error {
	if err := accepted("scaling "+what, s.scale(ctx, name, 3)); err != nil {
		return err
	}
	if err := refusal("an update of "+what+" to the image "+port, s.patch(ctx, name, fmt.Sprintf(`{"spec":{"image":%q}}`, port))); err != nil {
		return err
	}
	if err := s.remove(ctx, name); err != nil {
		return err
	}
	return accepted("taking the last finalizer off "+what+", which is being deleted", s.patch(ctx, name, `{"metadata":{"finalizers":null}}`))
}

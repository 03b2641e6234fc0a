package infer

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// findLaunch finds the ports, the probe and the flags.
func (f *finder) findLaunch() {
	launch := &f.Spec.Launch
	servings := f.servings()
	launch.Command, launch.Ports = withPorts(f.Command, servings)
	f.note("launch.command", Seen, "it was started so")
	if strings.Contains(strings.Join(f.Command, " "), profile.Braces) {
		f.note("launch.command", Seen, "it was started with these; %s stands for {{, as the text after it names no key of a profile", profile.Braces)
	}
	var fixed []string // why each port is
	for _, s := range servings {
		if s.argument < 0 {
			if launch.FixedPorts == nil {
				launch.FixedPorts = map[string]int32{}
			}
			launch.FixedPorts[s.name] = int32(s.port)
			fixed = append(fixed, fmt.Sprintf("%d: %s", s.port, f.whyFixed(s)))
			f.note("launch.fixedPorts", Seen, "%s", strings.Join(fixed, "; "))
		} else {
			f.note("launch.ports", Seen, "it listens there")
		}
		f.findReady(s)
		f.findMetricsAt(s)
		f.findHealth(s)
	}
	f.askBarred()
	f.findWebhook()
	if launch.Ready.HTTPGet == nil {
		f.askReady()
	}
	f.findElection()
	if f.FixedName != "" {
		launch.OnePerNamespace = true
		f.note("launch.onePerNamespace", Seen, "an object of another name than %s got no children", f.FixedName)
	}
	for _, act := range f.Acts {
		if act.Deed == Create && act.Refused == NothingMade && len(f.acts(Create)) == 1 && !strings.Contains(f.Spec.Contract.Children.Deployment.Name, "{{") {
			launch.OnePerNamespace = true
			f.note("launch.onePerNamespace", Seen, "a second %s in the namespace got no children", f.Kind)
		}
	}
}

// findReady finds the page of a port that says when the controller is ready, unless one is
// known.
func (f *finder) findReady(s serving) {
	ready := &f.Spec.Launch.Ready
	for _, path := range []string{"/readyz", "/ready"} {
		if page, ok := s.page(path); ok && !page.WithToken && ready.HTTPGet == nil {
			ready.HTTPGet = &v1alpha1.HTTPGet{Port: s.name, Path: path}
			if page.Scheme != "http" {
				ready.HTTPGet.Scheme = page.Scheme
			}
			f.note("launch.ready", Seen, "%s answered 200", path)
		}
	}
}

// findMetricsAt finds the metrics of a port.
func (f *finder) findMetricsAt(s serving) {
	page, ok := s.page("/metrics")
	if !ok {
		return
	}
	if s.name != "metrics" || page.Scheme != "http" {
		f.Spec.Launch.Endpoints.Metrics = &v1alpha1.Endpoint{Port: s.name, Scheme: page.Scheme}
	}
	f.findMetrics(page)
	if slices.Contains(f.Spec.Claims.Features, v1alpha1.FeatureMetrics) {
		f.findErrorSeries(page)
		f.doubtErrors(page)
	}
}

// findHealth finds the page of a port that says that the controller lives, unless one is known.
func (f *finder) findHealth(s serving) {
	for _, path := range []string{"/healthz", "/livez", "/live", "/health"} {
		if page, ok := s.page(path); ok && !slices.Contains(f.Spec.Claims.Features, v1alpha1.FeatureHealth) {
			if s.name != "health" || path != "/healthz" || page.Scheme != "http" {
				f.Spec.Launch.Endpoints.Health = &v1alpha1.Endpoint{Port: s.name, Path: path, Scheme: page.Scheme}
			}
			f.claim(v1alpha1.FeatureHealth, Seen, "%s answered 200", path)
		}
	}
}

// whyFixed says why the profile has a fixed port.
func (f *finder) whyFixed(s serving) string {
	switch numbers := strings.Join(s.elsewhere, " and "); {
	case numbers == "":
		return "it listens there, and no argument says so"
	case slices.Contains(f.Moved.Ports, s.port):
		return fmt.Sprintf("it listens there, and still did with another number in %s, which is there for something else", numbers)
	default:
		return fmt.Sprintf("it listens there, and with another number in %s it listened neither there nor at that number, so the number stays", numbers)
	}
}

// askReady asks for the page that says when the controller is ready.
func (f *finder) askReady() {
	names := append(slices.Clone(f.Spec.Launch.Ports), sorted(f.Spec.Launch.FixedPorts)...)
	without := "it counts as ready once it watches its resource, or lists it again and again"
	if !f.showedReady() {
		without = "it neither watched its resource nor listed it again and again, so a run will say that it does not start"
	}
	if len(names) == 0 {
		f.ask("launch.ready", "no page said when it is ready: %s. If a flag makes it serve one, run init again with it", without)
		return
	}
	name := names[max(0, slices.Index(names, "health"))]
	for _, page := range f.Pages {
		if page.Code >= http.StatusInternalServerError && (page.Path == "/readyz" || page.Path == "/ready") {
			f.offer("launch.ready", []string{fmt.Sprintf("ready: {httpGet: {port: %s, path: %s}}", name, page.Path)},
				"%s answered %d, though it had made children by then: does it say when the controller is ready, later or with other flags? Without a page %s",
				page.Path, page.Code, without)
			return
		}
	}
	f.offer("launch.ready", []string{fmt.Sprintf("ready: {httpGet: {port: %s, path: /readyz}}", name)},
		"no page said when it is ready: which one does? Without one %s", without)
}

// showedReady tells whether the controller did what shows that it is ready, if no page says so.
func (f *finder) showedReady() bool {
	return f.looksAfter(Act{}) >= 2 || slices.ContainsFunc(f.Account.Requests, func(q history.Request) bool {
		return f.isPrimary(q) && q.Verb == history.VerbWatch && q.Succeeded()
	})
}

// askBarred asks about pages that refuse every request.
func (f *finder) askBarred() {
	for _, page := range f.Pages {
		if page.Code == http.StatusUnauthorized || page.Code == http.StatusForbidden {
			f.ask("launch.endpoints", "%s://127.0.0.1:%d%s answered %d, even to the token of a ServiceAccount that may get it: what does it need?", page.Scheme, page.Port, page.Path, page.Code)
		}
	}
}

// findWebhook notes what is known about the given webhooks.
func (f *finder) findWebhook() {
	if f.Webhook == nil {
		return
	}
	f.note("launch.webhook", Seen, "it answered there, with the certificate that it was given")
	if !f.Webhook.OnlyConverts {
		f.askClaim("webhook", ", as it was not tried: does it heal while the API server cannot reach its webhook?")
	}
	switch {
	case ConversionPath(f.CRD) != "":
		f.note("launch.webhook.conversion", Read, "the CRD names this path")
	case len(f.CRD.Spec.Versions) > 1:
		f.ask("launch.webhook.conversion", "at which path does it convert between the versions of the CRD?")
	}
}

// ConversionPath returns the path at which a CRD says that its objects are converted, or ""
// if it does not say one.
func ConversionPath(crd *apiextensionsv1.CustomResourceDefinition) string {
	conversion := crd.Spec.Conversion
	if conversion == nil || conversion.Webhook == nil || conversion.Webhook.ClientConfig == nil ||
		conversion.Webhook.ClientConfig.Service == nil || conversion.Webhook.ClientConfig.Service.Path == nil {
		return ""
	}
	return *conversion.Webhook.ClientConfig.Service.Path
}

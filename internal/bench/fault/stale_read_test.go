package fault

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestStaleListOfMetadata: a watch or a get of the metadata alone is answered from a list of the
// metadata, which the API server gives only to who asks for such a list.
func TestStaleListOfMetadata(t *testing.T) {
	const (
		rest     = ";g=meta.k8s.io;v=v1"
		ofOne    = "application/json;as=PartialObjectMetadata" + rest
		ofList   = "application/json;as=PartialObjectMetadataList" + rest
		ofObject = "application/json"
	)
	for name, tc := range map[string]struct{ accept, want []string }{
		"a watch of metadata":       {[]string{ofOne}, []string{ofList}},
		"or of whole objects":       {[]string{ofOne + ", " + ofObject}, []string{ofList + ", " + ofObject}},
		"quoted":                    {[]string{`application/json; as="PartialObjectMetadata"; g=meta.k8s.io`}, []string{`application/json; as="PartialObjectMetadataList"; g=meta.k8s.io`}},
		"in two headers":            {[]string{ofObject, ofOne}, []string{ofObject, ofList}},
		"a list of metadata":        {[]string{ofList}, []string{ofList}},
		"whole objects":             {[]string{ofObject}, []string{ofObject}},
		"a kind that begins so too": {[]string{"application/json;as=PartialObjectMetadataX"}, []string{"application/json;as=PartialObjectMetadataX"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://host/api/v1/namespaces/s/pods?watch=true", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			out.Header["Accept"] = tc.accept
			before := strings.Join(tc.accept, "|")
			var asked []string
			list, _, err := (&stale{version: "20"}).list(out, url.Values{}, func(sent *http.Request) (*http.Response, error) {
				asked = sent.Header["Accept"]
				body := `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"20"},"items":[{}]}`
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
			})
			if err != nil || len(list.Items) != 1 || list.kind().Kind != "PartialObjectMetadata" {
				t.Errorf("listed %+v: %v", list, err)
			}
			if diff := cmp.Diff(tc.want, asked); diff != "" {
				t.Errorf("asked for (-want +got):\n%s", diff)
			}
			if after := strings.Join(out.Header["Accept"], "|"); after != before {
				t.Errorf("the watch itself now asks for %s", after)
			}
		})
	}
}

// TestStaleWatchOfMetadata: who watches the metadata alone sees the past, too.
func TestStaleWatchOfMetadata(t *testing.T) {
	c := newAPIClient(t, false, "h2")
	c.put("kept", "1")
	c.fault("stale", nil, v1alpha1.FaultAction{Stale: &v1alpha1.Stale{}})
	c.put("new", "1")
	client, err := metadata.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	watch, err := client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(c.own).Watch(t.Context(), metav1.ListOptions{
		LabelSelector: "test=true", ResourceVersion: "0", ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
		SendInitialEvents: ptr.To(true), AllowWatchBookmarks: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	var told []string
	for event := range watch.ResultChan() {
		object, ok := event.Object.(*metav1.PartialObjectMetadata)
		if !ok {
			t.Fatalf("told %+v", event)
		}
		if event.Type == apiwatch.Bookmark {
			break
		}
		told = append(told, fmt.Sprint(event.Type, " ", object.Name))
	}
	if diff := cmp.Diff([]string{"ADDED kept"}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	c.hits("stale", 1)
}

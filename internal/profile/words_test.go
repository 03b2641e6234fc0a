package profile

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestInItsWords(t *testing.T) {
	for name, tc := range map[string]struct{ kind, plural, text, want string }{
		"the scenarios' own": {"WebApp", "webapps", "A WebApp gets a Deployment", "A WebApp gets a Deployment"},
		"nothing served":     {"", "", "A WebApp", "A WebApp"},
		"another":            {"Site", "sites", "Given the WebApp demo, another WebApp, and the WebApp's child", "Given the Site demo, another Site, and the Site's child"},
		"several":            {"Site", "sites", "Twenty WebApps", "Twenty Sites"},
		"an article":         {"Issuer", "issuers", "When a WebApp is made. A WebApp", "When an Issuer is made. An Issuer"},
		"an article stays":   {"User", "users", "a WebApp", "a User"},
		"in y":               {"Policy", "policies", "two WebApps", "two Policies"},
		"in s":               {"DNS", "dnses", "two WebApps", "two DNSes"},
		"always plural":      {"Fish", "fish", "two WebApps", "two Fish"},
		"of no likeness":     {"Person", "people", "two WebApps", "two People"},
		"of another letter":  {"Mouse", "rats", "two WebApps", "two Mouses"},
		"a part of a word":   {"Site", "sites", "WebAppX, myWebApp", "WebAppX, myWebApp"},
		"code":               {"Site", "sites", "For(&WebApp{})", "For(&Site{})"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Profile{}
			p.Spec.Contract.Resource.Kind, p.Spec.Contract.Resource.Plural = tc.kind, tc.plural
			if got := p.InItsWords(tc.text); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestInItsWordsTheWorkload(t *testing.T) {
	set := &v1alpha1.Workload{Group: "apps", Version: "v1", Kind: "StatefulSet", Plural: "statefulsets"}
	job := &v1alpha1.Workload{Group: "batch", Version: "v1", Kind: "CronJob", Plural: "cronjobs"}
	for name, tc := range map[string]struct {
		workload   *v1alpha1.Workload
		text, want string
	}{
		"a Deployment":    {nil, "A deleted Deployment comes back", "A deleted Deployment comes back"},
		"another":         {set, "A Deployment, the Deployment's Pods", "A StatefulSet, the StatefulSet's Pods"},
		"several":         {set, "watches of Deployments", "watches of StatefulSets"},
		"code":            {job, "Owns(&appsv1.Deployment{})", "Owns(&batchv1.CronJob{})"},
		"a part":          {set, "DeploymentList", "DeploymentList"},
		"of the operator": {set, "The Deployment that is shipped, the Deployment that you ship, the controller's Deployment", "The Deployment that is shipped, the Deployment that you ship, the controller's Deployment"},
		"an article":      {&v1alpha1.Workload{Group: "example.org", Version: "v1", Kind: "App", Plural: "apps"}, "a Deployment", "an App"},
		"both":            {set, "A WebApp has a Deployment", "A Site has a StatefulSet"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Profile{}
			p.Spec.Contract.Resource.Kind, p.Spec.Contract.Resource.Plural = "Site", "sites"
			p.Spec.Contract.Children.Deployment.Workload = tc.workload
			if got := p.InItsWords(tc.text); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestWithArticle(t *testing.T) {
	for kind, want := range map[string]string{"Echo": "an Echo", "Site": "a Site", "User": "a User", "": "a "} {
		if got := WithArticle(kind); got != want {
			t.Errorf("of %q it says %q, want %q", kind, got, want)
		}
	}
}

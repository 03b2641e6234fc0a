package profile

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// need is a part of a profile without which a feature cannot be tested.
type need struct {
	what string
	met  func(*Profile) bool
}

func path(what string, field func(*v1alpha1.Contract) *v1alpha1.Field) need {
	return need{what, func(p *Profile) bool {
		f := field(&p.Spec.Contract)
		return f != nil && f.Path != ""
	}}
}

func claimed(feature v1alpha1.Feature) need {
	return need{"feature " + string(feature), func(p *Profile) bool { return p.Has(feature) }}
}

func endpoint(name v1alpha1.EndpointName) need {
	what := fmt.Sprintf("launch.endpoints.%s, or a port named %s in launch.ports", name, name)
	return need{what, func(p *Profile) bool {
		_, ok := p.Endpoint(name)
		return ok
	}}
}

// featureNeeds lists what else a profile must say if it claims a feature.
func featureNeeds() map[v1alpha1.Feature][]need {
	var (
		service = need{"contract.children.service", func(p *Profile) bool { return p.Spec.Contract.Children.Service != nil }}
		probed  = need{"launch.ready.httpGet", func(p *Profile) bool { return p.Spec.Launch.Ready.HTTPGet != nil }}
		ready   = path("contract.status.readyReplicas.path", func(c *v1alpha1.Contract) *v1alpha1.Field { return c.Status.ReadyReplicas })
		port    = path("contract.spec.port.path", func(c *v1alpha1.Contract) *v1alpha1.Field { return c.Spec.Port })
	)
	return map[v1alpha1.Feature][]need{
		v1alpha1.FeatureService:    {service},
		v1alpha1.FeaturePort:       {port},
		v1alpha1.FeaturePortDrift:  {{"contract.spec.port", func(p *Profile) bool { return p.Spec.Contract.Spec.Port != nil }}},
		v1alpha1.FeatureEnv:        {path("contract.spec.env.path", func(c *v1alpha1.Contract) *v1alpha1.Field { return c.Spec.Env })},
		v1alpha1.FeatureDependency: {path("contract.spec.configMapRef.path", func(c *v1alpha1.Contract) *v1alpha1.Field { return c.Spec.ConfigMapRef })},
		v1alpha1.FeatureRenames: {
			path("contract.spec.deploymentName.path", func(c *v1alpha1.Contract) *v1alpha1.Field { return c.Spec.DeploymentName }),
			{"contract.children.deployment.name with that field in it", func(p *Profile) bool {
				field := p.Spec.Contract.Spec.DeploymentName
				return field != nil && strings.Contains(p.Spec.Contract.Children.Deployment.Name, "."+field.Path)
			}},
		},
		v1alpha1.FeatureDefaults: {{"contract.defaults.replicas or contract.defaults.port", func(p *Profile) bool {
			return p.Spec.Contract.Defaults.Replicas != nil || p.Spec.Contract.Defaults.Port != nil
		}}},
		v1alpha1.FeatureBounds: {{"contract.bounds.replicas or contract.bounds.port", func(p *Profile) bool {
			return p.Spec.Contract.Bounds.Replicas != nil || p.Spec.Contract.Bounds.Port != nil
		}}},
		v1alpha1.FeaturePrinterColumns:         {{"contract.printerColumns", func(p *Profile) bool { return len(p.Spec.Contract.PrinterColumns) > 0 }}},
		v1alpha1.FeatureStatus:                 {ready},
		v1alpha1.FeaturePhase:                  {{"contract.status.phase", func(p *Profile) bool { return p.Spec.Contract.Status.Phase != nil }}},
		v1alpha1.FeatureAvailableWhenRolledOut: {claimed(v1alpha1.FeatureConditions)},
		v1alpha1.FeatureForeignConditions:      {claimed(v1alpha1.FeatureConditions)},
		v1alpha1.FeatureConditions:             {path("contract.status.conditions.path", func(c *v1alpha1.Contract) *v1alpha1.Field { return c.Status.Conditions })},
		v1alpha1.FeatureServiceURL:             {service, path("contract.status.serviceURL.path", func(c *v1alpha1.Contract) *v1alpha1.Field { return c.Status.ServiceURL })},
		v1alpha1.FeatureObservedGeneration:     {path("contract.status.observedGeneration.path", func(c *v1alpha1.Contract) *v1alpha1.Field { return c.Status.ObservedGeneration })},
		v1alpha1.FeatureErrorReporting:         {{"claims.reporting", func(p *Profile) bool { return p.Spec.Claims.Reporting != nil }}},
		v1alpha1.FeatureEvents: {{"claims.events.created", func(p *Profile) bool {
			return p.Spec.Claims.Events != nil && p.Spec.Claims.Events.Created != ""
		}}},
		v1alpha1.FeatureLeaderElection: {
			{"launch.leaderElection", func(p *Profile) bool { return p.Spec.Launch.LeaderElection != nil }},
			{"claims.times.lease", func(p *Profile) bool { return p.Spec.Claims.Times.Lease != nil }},
		},
		v1alpha1.FeatureReadyStandby:        {claimed(v1alpha1.FeatureLeaderElection), probed},
		v1alpha1.FeatureLeaseRelease:        {claimed(v1alpha1.FeatureLeaderElection)},
		v1alpha1.FeatureFenced:              {claimed(v1alpha1.FeatureLeaderElection)},
		v1alpha1.FeatureTruthfulReadyz:      {probed},
		v1alpha1.FeatureSurvivesSilence:     {{"claims.times.silence", func(p *Profile) bool { return p.Spec.Claims.Times.Silence.Duration > 0 }}},
		v1alpha1.FeatureWebhook:             {{"install.webhooks", func(p *Profile) bool { return len(p.Spec.Install.Webhooks) > 0 }}},
		v1alpha1.FeatureConversion:          {{"launch.webhook.conversion", (*Profile).Converts}},
		v1alpha1.FeatureMetrics:             {endpoint(v1alpha1.EndpointMetrics)},
		v1alpha1.FeatureHealth:              {endpoint(v1alpha1.EndpointHealth)},
		v1alpha1.FeatureQueueMetrics:        {claimed(v1alpha1.FeatureMetrics)},
		v1alpha1.FeatureIndependentChildren: {claimed(v1alpha1.FeatureService)},
	}
}

// Lacks lists what else the profile would have to say to claim a feature.
func (p *Profile) Lacks(feature v1alpha1.Feature) []string {
	var lacks []string
	for _, need := range featureNeeds()[feature] {
		if !need.met(p) {
			lacks = append(lacks, need.what)
		}
	}
	return lacks
}

// checkFeatures compares the claimed features with what the profile says.
func (c *checker) checkFeatures() {
	for i, feature := range c.Spec.Claims.Features {
		for _, what := range c.Lacks(feature) {
			if strings.HasPrefix(what, "contract.") && !c.HasContract() {
				what = "a contract (" + what + ")"
			}
			c.add(fmt.Sprintf("spec.claims.features[%d]", i), "%s is claimed, which needs %s", feature, what)
		}
	}
}

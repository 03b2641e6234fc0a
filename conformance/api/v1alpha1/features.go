package v1alpha1

// The features. docs/verdict.md says which requirements each of them switches on.
const (
	// FeatureService: it makes a Service for its Pods.
	FeatureService Feature = "service"
	// FeatureIndependentChildren: it makes one child while writes of the other fail.
	FeatureIndependentChildren Feature = "independent-children"
	// FeatureDefaults: fields that are left out take its defaults.
	FeatureDefaults Feature = "defaults"
	// FeaturePort: a field of the spec is the port.
	FeaturePort Feature = "port"
	// FeatureEnv: fields of the spec are variables of the container.
	FeatureEnv Feature = "env"
	// FeatureControllerRef: its children have an owner reference with controller: true.
	FeatureControllerRef Feature = "controller-ref"
	// FeatureDependency: it uses a ConfigMap that the spec names.
	FeatureDependency Feature = "dependency"
	// FeatureRenames: a field of the spec is the name of the Deployment.
	FeatureRenames Feature = "renames"
	// FeaturePortDrift: it restores a port that somebody else changed.
	FeaturePortDrift Feature = "port-drift"
	// FeatureFinalizer: a finalizer guards its cleanup.
	FeatureFinalizer Feature = "finalizer"
	// FeatureRetryAfter: it waits as long as a 429 says.
	FeatureRetryAfter Feature = "retry-after"
	// FeatureStatus: its status has the number of ready Pods.
	FeatureStatus Feature = "status"
	// FeatureErrorReporting: it shows failures where claims.reporting says.
	FeatureErrorReporting Feature = "error-reporting"
	// FeatureSelfRecovery: it tries again what was refused or called invalid.
	FeatureSelfRecovery Feature = "self-recovery"
	// FeatureConcurrentWorkers: it works on several objects at the same time.
	FeatureConcurrentWorkers Feature = "concurrent-workers"
	// FeatureChildCache: it lists and watches its children, and reads them from its cache.
	FeatureChildCache Feature = "child-cache"
	// FeaturePagedLists: it starts a list again if a page of it has expired.
	FeaturePagedLists Feature = "paged-lists"
	// FeatureTruthfulReadyz: it says that it is ready only after its caches have synced.
	FeatureTruthfulReadyz Feature = "truthful-readyz"
	// FeatureLeaderElection: one of several replicas acts.
	FeatureLeaderElection Feature = "leader-election"
	// FeatureReadyStandby: a replica that does not lead is ready, too.
	FeatureReadyStandby Feature = "ready-standby"
	// FeatureLeaseRelease: a leader that ends releases its Lease.
	FeatureLeaseRelease Feature = "lease-release"
	// FeatureFenced: no old write of a paused leader is accepted.
	FeatureFenced Feature = "fenced"
	// FeaturePhase: its status has a word that says whether all Pods are ready.
	FeaturePhase Feature = "phase"
	// FeatureConditions: its status has conditions.
	FeatureConditions Feature = "conditions"
	// FeatureAvailableWhenRolledOut: its condition Available is about the newest generation.
	FeatureAvailableWhenRolledOut Feature = "available-when-rolled-out"
	// FeatureServiceURL: its status has the URL of the Service.
	FeatureServiceURL Feature = "service-url"
	// FeatureObservedGeneration: its status names the generation that it describes.
	FeatureObservedGeneration Feature = "observed-generation"
	// FeatureQuiet: it sends no write if nothing is to be changed.
	FeatureQuiet Feature = "quiet"
	// FeatureEvents: it tells in Events what it did and what failed.
	FeatureEvents Feature = "events"
	// FeatureBounds: its schema refuses values beyond its bounds.
	FeatureBounds Feature = "bounds"
	// FeaturePrinterColumns: kubectl get shows columns of its own.
	FeaturePrinterColumns Feature = "printer-columns"
	// FeatureLooseSchema: its schema accepts some specs that are impossible.
	FeatureLooseSchema Feature = "loose-schema"
	// FeatureDescribed: each field of its schema has a description.
	FeatureDescribed Feature = "described"
	// FeatureForeignFields: it keeps what others set in the Pod template.
	FeatureForeignFields Feature = "foreign-fields"
	// FeatureForeignConditions: it keeps conditions of others in the status.
	FeatureForeignConditions Feature = "foreign-conditions"
	// FeaturePropagatesMetadata: it copies labels and annotations to its children.
	FeaturePropagatesMetadata Feature = "propagates-metadata"
	// FeatureNamespaced: one process serves one namespace only.
	FeatureNamespaced Feature = "namespaced"
	// FeatureWebhook: it serves an admission webhook, and heals without it.
	FeatureWebhook Feature = "webhook"
	// FeatureConversion: it converts its objects between versions, and loses nothing.
	FeatureConversion Feature = "conversion"
	// FeatureSIGINT: it ends in time at SIGINT.
	FeatureSIGINT Feature = "sigint"
	// FeatureLeastPrivilege: its roles have no wildcards and no Secrets.
	FeatureLeastPrivilege Feature = "least-privilege"
	// FeatureRolesOnly: Roles in the served namespaces are enough for it.
	FeatureRolesOnly Feature = "roles-only"
	// FeatureSurvivesSilence: it notices a connection that died without a word.
	FeatureSurvivesSilence Feature = "survives-silence"
	// FeatureMetrics: its metrics count reconciles and errors.
	FeatureMetrics Feature = "metrics"
	// FeatureHealth: its health endpoint answers while it runs.
	FeatureHealth Feature = "health"
	// FeatureQueueMetrics: its metrics tell depth, latency and retries of the queue.
	FeatureQueueMetrics Feature = "queue-metrics"
	// FeatureStructuredLogs: each failure is one structured line in its log.
	FeatureStructuredLogs Feature = "structured-logs"
)

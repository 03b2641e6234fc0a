package envtest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// TestJobs: Jobs succeed, fail, are suspended, and so on, as on a real cluster.
func TestJobs(t *testing.T) {
	t.Parallel()
	never := map[string]string{"reconform.dev/ends": "Never"}
	for name, run := range map[string]func(*testing.T, *jobs){
		"side by side, until enough have succeeded": func(t *testing.T, j *jobs) {
			j.create(job("example/job:1", never), func(s *batchv1.JobSpec) { s.Parallelism, s.Completions = new(int32(2)), new(int32(5)) })
			j.await("two run", func(s batchv1.JobStatus) bool { return s.Active == 2 && ptr.Deref(s.Ready, 0) == 2 })
			// Those that come later run on, too: each round ends two.
			j.await("completed", func(s batchv1.JobStatus) bool {
				j.end("Succeeded", nil)
				return done(s, batchv1.JobComplete, "") && s.Succeeded == 5
			})
		},
		"tried again, until the limit": func(t *testing.T, j *jobs) {
			j.create(job("example/job:fails", nil), func(s *batchv1.JobSpec) { s.BackoffLimit = new(int32(0)) })
			j.await("failed", func(s batchv1.JobStatus) bool {
				return done(s, batchv1.JobFailed, batchv1.JobReasonBackoffLimitExceeded) && s.Failed == 1
			})
		},
		"restarted in the same Pod, until the limit": func(t *testing.T, j *jobs) {
			j.create(job("example/job:fails", nil), func(s *batchv1.JobSpec) {
				s.BackoffLimit, s.Template.Spec.RestartPolicy = new(int32(3)), corev1.RestartPolicyOnFailure
			})
			j.await("failed", func(s batchv1.JobStatus) bool {
				return done(s, batchv1.JobFailed, batchv1.JobReasonBackoffLimitExceeded)
			})
		},
		"its init container is restarted in the same Pod, until the limit": func(t *testing.T, j *jobs) {
			j.create(job("example/job:1", nil), func(s *batchv1.JobSpec) {
				s.BackoffLimit, s.Template.Spec.RestartPolicy = new(int32(2)), corev1.RestartPolicyOnFailure
				s.Template.Spec.InitContainers = []corev1.Container{{Name: "first", Image: "example/init:fails"}}
			})
			j.await("failed", func(s batchv1.JobStatus) bool {
				return done(s, batchv1.JobFailed, batchv1.JobReasonBackoffLimitExceeded)
			})
		},
		"ignored by its policy": func(t *testing.T, j *jobs) {
			j.create(job("example/job:1", map[string]string{"reconform.dev/ends": "Failed", "reconform.dev/exit-code": "42"}), func(s *batchv1.JobSpec) {
				s.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
					Action:      batchv1.PodFailurePolicyActionFailJob,
					OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{42}},
				}}}
			})
			j.await("failed by the policy", func(s batchv1.JobStatus) bool { return done(s, batchv1.JobFailed, batchv1.JobReasonPodFailurePolicy) })
		},
		"evicted, which its policy ignores": func(t *testing.T, j *jobs) {
			j.create(job("example/job:1", never), ignoresDisruptions)
			j.await("it runs", func(s batchv1.JobStatus) bool { return ptr.Deref(s.Ready, 0) == 1 })
			evicted := j.pods()[0].Name
			if err := j.c.CoreV1().Pods(j.namespace).EvictV1(t.Context(), &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: evicted}}); err != nil {
				t.Fatal(err)
			}
			eventually(t, 2*soon, func() error { // the Job controller waits ten seconds after a failure
				pods := j.pods()
				if len(pods) == 1 && pods[0].Name != evicted {
					return nil
				}
				var names []string
				for _, pod := range pods {
					names = append(names, pod.Name)
				}
				return fmt.Errorf("the Pods %v after the eviction of %s", names, evicted)
			})
			j.await("completed", func(s batchv1.JobStatus) bool {
				j.end("Succeeded", nil)
				return done(s, batchv1.JobComplete, "") && s.Failed == 0
			})
		},
		"its Pod is deleted, which its policy counts": func(t *testing.T, j *jobs) {
			j.create(job("example/job:1", never), ignoresDisruptions)
			j.await("it runs", func(s batchv1.JobStatus) bool { return ptr.Deref(s.Ready, 0) == 1 })
			if err := j.c.CoreV1().Pods(j.namespace).Delete(t.Context(), j.pods()[0].Name, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			j.await("failed", func(s batchv1.JobStatus) bool {
				return done(s, batchv1.JobFailed, batchv1.JobReasonBackoffLimitExceeded) && s.Failed == 1
			})
		},
		"indexed": func(t *testing.T, j *jobs) {
			j.create(job("example/job:1", nil), indexed(3))
			j.await("completed", func(s batchv1.JobStatus) bool { return done(s, batchv1.JobComplete, "") && s.CompletedIndexes == "0-2" })
		},
		"enough by its policy": func(t *testing.T, j *jobs) {
			j.create(job("example/job:1", never), indexed(3), func(s *batchv1.JobSpec) {
				s.SuccessPolicy = &batchv1.SuccessPolicy{Rules: []batchv1.SuccessPolicyRule{{SucceededIndexes: ptr.To("1")}}}
			})
			j.await("three run", func(s batchv1.JobStatus) bool { return ptr.Deref(s.Ready, 0) == 3 })
			j.end("Succeeded", func(pod *corev1.Pod) bool { return pod.Annotations[batchv1.JobCompletionIndexAnnotation] == "1" })
			j.await("completed, and the others are gone", func(s batchv1.JobStatus) bool {
				return done(s, batchv1.JobComplete, batchv1.JobReasonSuccessPolicy) && s.CompletedIndexes == "1" && s.Active == 0
			})
		},
		"an index fails, and its limit is its own": func(t *testing.T, j *jobs) {
			j.create(job("example/job:1", never), indexed(3), func(s *batchv1.JobSpec) {
				s.BackoffLimit, s.BackoffLimitPerIndex = nil, new(int32(1))
			})
			index := func(is bool) func(*corev1.Pod) bool {
				return func(pod *corev1.Pod) bool {
					return (pod.Annotations[batchv1.JobCompletionIndexAnnotation] == "1") == is
				}
			}
			j.await("failed, and the others completed", func(s batchv1.JobStatus) bool {
				j.end("Failed", index(true))
				j.end("Succeeded", index(false))
				return done(s, batchv1.JobFailed, batchv1.JobReasonFailedIndexes) && s.CompletedIndexes == "0,2" && ptr.Deref(s.FailedIndexes, "") == "1" && s.Failed == 2
			})
		},
		"suspended and resumed": func(t *testing.T, j *jobs) {
			j.create(job("example/job:1", never))
			j.await("it runs", func(s batchv1.JobStatus) bool { return ptr.Deref(s.Ready, 0) == 1 })
			j.patch(`{"spec": {"suspend": true}}`)
			j.await("suspended", func(s batchv1.JobStatus) bool {
				return done(s, batchv1.JobSuspended, "") && s.Active == 0
			})
			j.patch(`{"spec": {"suspend": false}}`)
			j.await("it runs again", func(s batchv1.JobStatus) bool {
				return ptr.Deref(s.Ready, 0) == 1 && !done(s, batchv1.JobSuspended, "")
			})
		},
		"with a sidecar": func(t *testing.T, j *jobs) {
			j.create(job("example/job:1", nil), func(s *batchv1.JobSpec) {
				s.Template.Spec.InitContainers = []corev1.Container{{Name: "sidecar", Image: "example/sidecar:1", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)}}
			})
			j.await("completed", func(s batchv1.JobStatus) bool { return done(s, batchv1.JobComplete, "") })
		},
		"gone when its time is over": func(t *testing.T, j *jobs) {
			j.create(job("example/job:1", nil), func(s *batchv1.JobSpec) { s.TTLSecondsAfterFinished = new(int32(1)) })
			awaitNone(t, func() (*batchv1.Job, error) {
				return j.c.BatchV1().Jobs(j.namespace).Get(t.Context(), "demo", metav1.GetOptions{})
			})
			eventually(t, soon, func() error {
				pods, err := j.c.CoreV1().Pods(j.namespace).List(t.Context(), metav1.ListOptions{})
				if err == nil && len(pods.Items) > 0 {
					err = fmt.Errorf("%d of its Pods are left", len(pods.Items))
				}
				return err
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, namespace := client(t)
			run(t, &jobs{t, c, namespace})
		})
	}
}

// done tells whether a condition is true, for this reason unless that is empty.
func done(s batchv1.JobStatus, condition batchv1.JobConditionType, reason string) bool {
	return slices.ContainsFunc(s.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == condition && c.Status == corev1.ConditionTrue && (reason == "" || c.Reason == reason)
	})
}

// ignoresDisruptions gives a Job a failure policy: what is evicted does not count.
func ignoresDisruptions(s *batchv1.JobSpec) {
	s.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
		Action:          batchv1.PodFailurePolicyActionIgnore,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
	}}}
}

func indexed(completions int32) func(*batchv1.JobSpec) {
	return func(s *batchv1.JobSpec) {
		s.CompletionMode, s.Completions, s.Parallelism = ptr.To(batchv1.IndexedCompletion), &completions, &completions
	}
}

// jobs handles the Job demo in a namespace.
type jobs struct {
	t         *testing.T
	c         kubernetes.Interface
	namespace string
}

func (j *jobs) create(job *batchv1.Job, changes ...func(*batchv1.JobSpec)) {
	j.t.Helper()
	for _, change := range changes {
		change(&job.Spec)
	}
	if _, err := j.c.BatchV1().Jobs(j.namespace).Create(j.t.Context(), job, metav1.CreateOptions{}); err != nil {
		j.t.Fatal(err)
	}
}

func (j *jobs) patch(text string) {
	j.t.Helper()
	if _, err := j.c.BatchV1().Jobs(j.namespace).Patch(j.t.Context(), "demo", types.MergePatchType, []byte(text), metav1.PatchOptions{}); err != nil {
		j.t.Fatal(err)
	}
}

// end lets the Pods that run end like this, or only some of them.
func (j *jobs) end(how string, some func(*corev1.Pod) bool) {
	j.t.Helper()
	for _, pod := range j.pods() {
		if pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil {
			continue
		}
		if some != nil && !some(&pod) {
			continue
		}
		patch := fmt.Appendf(nil, `{"metadata": {"annotations": {"reconform.dev/ends": %q}}}`, how)
		if _, err := j.c.CoreV1().Pods(j.namespace).Patch(j.t.Context(), pod.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			j.t.Fatal(err)
		}
	}
}

func (j *jobs) pods() []corev1.Pod {
	j.t.Helper()
	pods, err := j.c.CoreV1().Pods(j.namespace).List(j.t.Context(), metav1.ListOptions{})
	if err != nil {
		j.t.Fatal(err)
	}
	return pods.Items
}

func (j *jobs) await(what string, is func(batchv1.JobStatus) bool) {
	j.t.Helper()
	eventually(j.t, soon, func() error {
		job, err := j.c.BatchV1().Jobs(j.namespace).Get(j.t.Context(), "demo", metav1.GetOptions{})
		if err == nil && !is(job.Status) {
			err = fmt.Errorf("status %+v, want: %s", job.Status, what)
		}
		return err
	})
}

// TestCronJob: the clock is that of the machine, but a test can move the last schedule
// into the past.
func TestCronJob(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	cronJobs := c.BatchV1().CronJobs(namespace)
	if _, err := cronJobs.Create(t.Context(), &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "demo"}, Spec: batchv1.CronJobSpec{
		Schedule: "0 0 1 1 *", JobTemplate: batchv1.JobTemplateSpec{Spec: job("example/job:1", nil).Spec},
	}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	patch := fmt.Appendf(nil, `{"status": {"lastScheduleTime": %q}}`, time.Now().AddDate(-1, 0, -1).Format(time.RFC3339))
	if _, err := cronJobs.Patch(t.Context(), "demo", types.MergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() error {
		now, err := cronJobs.Get(t.Context(), "demo", metav1.GetOptions{})
		if err == nil && now.Status.LastSuccessfulTime == nil {
			err = fmt.Errorf("status %+v", now.Status)
		}
		return err
	})
}

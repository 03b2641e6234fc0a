package envtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/envtest/storage"
)

// claim is one of a class, or of the default class if class is empty.
func claim(name, class, size string) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}},
		},
	}
	if class != "" {
		c.Spec.StorageClassName = &class
	}
	return c
}

func createClaim(t *testing.T, c kubernetes.Interface, namespace string, claim *corev1.PersistentVolumeClaim) {
	t.Helper()
	if _, err := c.CoreV1().PersistentVolumeClaims(namespace).Create(t.Context(), claim, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// podWith is a Pod that runs, with one volume.
func podWith(name string, source corev1.VolumeSource) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "app", Image: "example/app:1", VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}}},
		Volumes:    []corev1.Volume{{Name: "data", VolumeSource: source}},
	}}
}

func claimed(name string) corev1.VolumeSource {
	return corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}
}

func createPod(t *testing.T, c kubernetes.Interface, namespace string, pod *corev1.Pod) {
	t.Helper()
	if _, err := c.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func awaitPod(t *testing.T, c kubernetes.Interface, namespace, name string) {
	t.Helper()
	eventually(t, soon, func() error {
		pod, err := c.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue }) {
			return fmt.Errorf("Pod %s: %+v", name, pod.Status)
		}
		return nil
	})
}

// awaitBound waits until a claim is bound to a volume of this size, and returns the volume.
func awaitBound(t *testing.T, c kubernetes.Interface, namespace, name, size string) *corev1.PersistentVolume {
	t.Helper()
	var volume *corev1.PersistentVolume
	eventually(t, soon, func() error {
		claim, err := c.CoreV1().PersistentVolumeClaims(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if got := claim.Status.Capacity.Storage(); claim.Status.Phase != corev1.ClaimBound || got.Cmp(resource.MustParse(size)) != 0 {
			return fmt.Errorf("claim %s is %s, and has %v", name, claim.Status.Phase, got)
		}
		if volume, err = c.CoreV1().PersistentVolumes().Get(t.Context(), claim.Spec.VolumeName, metav1.GetOptions{}); err != nil {
			return err
		}
		if got := volume.Spec.Capacity.Storage(); volume.Status.Phase != corev1.VolumeBound || got.Cmp(resource.MustParse(size)) != 0 {
			return fmt.Errorf("volume %s is %s, and has %v", volume.Name, volume.Status.Phase, got)
		}
		return nil
	})
	return volume
}

// awaitNone waits until get finds nothing.
func awaitNone[T any](t *testing.T, get func() (T, error)) {
	t.Helper()
	eventually(t, soon, func() error {
		if found, err := get(); !apierrors.IsNotFound(err) {
			return fmt.Errorf("still there: %+v (%v)", found, err)
		}
		return nil
	})
}

// TestClaim follows a claim of the default class: it is bound, a Pod runs with it, it
// grows, it outlives its deletion for as long as the Pod uses it, and its volume goes with
// it.
func TestClaim(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	claims := c.CoreV1().PersistentVolumeClaims(namespace)
	createClaim(t, c, namespace, claim("data", "", "1Gi"))
	volume := awaitBound(t, c, namespace, "data", "1Gi")
	if volume.Spec.StorageClassName != storage.DefaultClass {
		t.Errorf("the class of the volume is %q, want the default, %s", volume.Spec.StorageClassName, storage.DefaultClass)
	}
	createPod(t, c, namespace, podWith("user", claimed("data")))
	awaitPod(t, c, namespace, "user")

	larger := []byte(`{"spec": {"resources": {"requests": {"storage": "3Gi"}}}}`)
	if _, err := claims.Patch(t.Context(), "data", types.MergePatchType, larger, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	if grown := awaitBound(t, c, namespace, "data", "3Gi"); grown.UID != volume.UID {
		t.Errorf("the claim has another volume since it grew: %s, before %s", grown.Name, volume.Name)
	}

	if err := claims.Delete(t.Context(), "data", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	// The controller that ends protection has looked at the deleted claim by the time at
	// which it lets an unused one go.
	createClaim(t, c, namespace, claim("unused", "", "1Gi"))
	awaitBound(t, c, namespace, "unused", "1Gi")
	if err := claims.Delete(t.Context(), "unused", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitNone(t, func() (*corev1.PersistentVolumeClaim, error) {
		return claims.Get(t.Context(), "unused", metav1.GetOptions{})
	})
	held, err := claims.Get(t.Context(), "data", metav1.GetOptions{})
	if err != nil || held.DeletionTimestamp == nil {
		t.Fatalf("a claim that a Pod uses, deleted: %+v, %v", held, err)
	}
	if err := c.CoreV1().Pods(namespace).Delete(t.Context(), "user", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitNone(t, func() (*corev1.PersistentVolumeClaim, error) {
		return claims.Get(t.Context(), "data", metav1.GetOptions{})
	})
	awaitNone(t, func() (*corev1.PersistentVolume, error) {
		return c.CoreV1().PersistentVolumes().Get(t.Context(), volume.Name, metav1.GetOptions{})
	})
}

// TestVolumeAttributes: a claim waits for the attributes that it asks for, and its volume
// gets others if it asks for others.
func TestVolumeAttributes(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	offer := func(name string) {
		t.Helper()
		class := &storagev1.VolumeAttributesClass{
			ObjectMeta: metav1.ObjectMeta{Name: name}, DriverName: storage.Provisioner, Parameters: map[string]string{"iops": name},
		}
		if _, err := c.StorageV1().VolumeAttributesClasses().Create(t.Context(), class, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	expectAttributes := func(name, want string) {
		t.Helper()
		eventually(t, soon, func() error {
			claim, err := c.CoreV1().PersistentVolumeClaims(namespace).Get(t.Context(), name, metav1.GetOptions{})
			if err == nil && ptr.Deref(claim.Status.CurrentVolumeAttributesClassName, "") != want {
				err = fmt.Errorf("status %+v, want the attributes %s", claim.Status, want)
			}
			return err
		})
		if got := awaitBound(t, c, namespace, name, "1Gi").Spec.VolumeAttributesClassName; ptr.Deref(got, "") != want {
			t.Errorf("the volume has the attributes %q, want %s", ptr.Deref(got, ""), want)
		}
	}
	silver, gold := "silver-"+namespace, "gold-"+namespace
	first, second := claim("data", "", "1Gi"), claim("waits", "", "1Gi")
	first.Spec.VolumeAttributesClassName, second.Spec.VolumeAttributesClassName = &silver, &gold
	offer(silver)
	createClaim(t, c, namespace, second)
	createClaim(t, c, namespace, first)
	expectAttributes("data", silver)
	if waiting, err := c.CoreV1().PersistentVolumeClaims(namespace).Get(t.Context(), "waits", metav1.GetOptions{}); err != nil || waiting.Status.Phase != corev1.ClaimPending {
		t.Errorf("a claim that asks for attributes which are not there: %+v, %v", waiting.Status, err)
	}
	offer(gold)
	expectAttributes("waits", gold)
	patch := fmt.Appendf(nil, `{"spec": {"volumeAttributesClassName": %q}}`, gold)
	if _, err := c.CoreV1().PersistentVolumeClaims(namespace).Patch(t.Context(), "data", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	expectAttributes("data", gold)
}

// TestClassOfTheUser: with a class of the user, the claim is bound when the first Pod
// uses it. The volume stays, as the policy of the class says, and does not grow.
func TestClassOfTheUser(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: "late-" + namespace}, Provisioner: storage.Provisioner,
		VolumeBindingMode: ptr.To(storagev1.VolumeBindingWaitForFirstConsumer), ReclaimPolicy: ptr.To(corev1.PersistentVolumeReclaimRetain),
		MountOptions: []string{"noatime"},
	}
	if _, err := c.StorageV1().StorageClasses().Create(t.Context(), class, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	claims := c.CoreV1().PersistentVolumeClaims(namespace)
	createClaim(t, c, namespace, claim("late", class.Name, "1Gi"))
	eventually(t, soon, func() error {
		events, err := c.CoreV1().Events(namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=late,reason=WaitForFirstConsumer"})
		if err != nil || len(events.Items) == 0 {
			return fmt.Errorf("nothing says that the claim waits (%w)", err)
		}
		return nil
	})
	if waiting, err := claims.Get(t.Context(), "late", metav1.GetOptions{}); err != nil || waiting.Status.Phase != corev1.ClaimPending {
		t.Errorf("a claim that no Pod uses: %+v, %v", waiting.Status, err)
	}
	createPod(t, c, namespace, podWith("first", claimed("late")))
	awaitPod(t, c, namespace, "first")
	volume := awaitBound(t, c, namespace, "late", "1Gi")
	if !slices.Equal(volume.Spec.MountOptions, class.MountOptions) {
		t.Errorf("mount options %v, want those of the class", volume.Spec.MountOptions)
	}
	larger := []byte(`{"spec": {"resources": {"requests": {"storage": "3Gi"}}}}`)
	if _, err := claims.Patch(t.Context(), "late", types.MergePatchType, larger, metav1.PatchOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("a class without expansion lets a claim grow: %v", err)
	}

	if err := c.CoreV1().Pods(namespace).Delete(t.Context(), "first", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := claims.Delete(t.Context(), "late", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() error {
		now, err := c.CoreV1().PersistentVolumes().Get(t.Context(), volume.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatalf("a volume that is to be retained: %v", err)
		}
		if now.Status.Phase != corev1.VolumeReleased {
			return fmt.Errorf("it is %s", now.Status.Phase)
		}
		return nil
	})
}

// TestUnknownClass: for an unknown class no volume is made, and the scheduler says so.
func TestUnknownClass(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	createClaim(t, c, namespace, claim("never", "no-such-class", "1Gi"))
	createPod(t, c, namespace, podWith("waits", claimed("never")))
	eventually(t, soon, func() error {
		pod, err := c.CoreV1().Pods(namespace).Get(t.Context(), "waits", metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodScheduled && condition.Reason == corev1.PodReasonUnschedulable && strings.Contains(condition.Message, "PersistentVolumeClaim") {
				return nil
			}
		}
		return fmt.Errorf("conditions %+v", pod.Status.Conditions)
	})
}

// TestEphemeralVolume: the claim comes and goes with its Pod.
func TestEphemeralVolume(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	template := &corev1.PersistentVolumeClaimTemplate{Spec: claim("", "", "1Gi").Spec}
	createPod(t, c, namespace, podWith("brief", corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: template}}))
	awaitPod(t, c, namespace, "brief")
	awaitBound(t, c, namespace, "brief-data", "1Gi")
	if err := c.CoreV1().Pods(namespace).Delete(t.Context(), "brief", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitNone(t, func() (*corev1.PersistentVolumeClaim, error) {
		return c.CoreV1().PersistentVolumeClaims(namespace).Get(t.Context(), "brief-data", metav1.GetOptions{})
	})
}

// TestClaimTemplates: each Pod of a StatefulSet gets its own claim, and keeps it. The
// retention policy says whether the claims are deleted with the StatefulSet.
func TestClaimTemplates(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	names := func(app string) []string {
		t.Helper()
		list, err := c.CoreV1().PersistentVolumeClaims(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, claim := range list.Items {
			found = append(found, claim.Name)
		}
		slices.Sort(found)
		return found
	}
	awaitClaims := func(app string, want ...string) {
		t.Helper()
		eventually(t, soon, func() error {
			if got := names(app); !slices.Equal(got, want) {
				return fmt.Errorf("claims %v, want %v", got, want)
			}
			return nil
		})
	}
	set := func(name string, policy *appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy) {
		t.Helper()
		s := statefulSet(name, "example/app:1", 2, appsv1.OrderedReadyPodManagement)
		s.Spec.PersistentVolumeClaimRetentionPolicy = policy
		s.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{*claim("data", "", "1Gi")}
		s.Spec.VolumeClaimTemplates[0].Labels = nil
		s.Spec.Template.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
		if _, err := c.AppsV1().StatefulSets(namespace).Create(t.Context(), s, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		awaitSet(t, c, namespace, name, 2)
	}
	set("keeps", nil)
	set("drops", &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
		WhenDeleted: appsv1.DeletePersistentVolumeClaimRetentionPolicyType, WhenScaled: appsv1.DeletePersistentVolumeClaimRetentionPolicyType,
	})
	for _, name := range []string{"keeps", "drops"} {
		awaitBound(t, c, namespace, "data-"+name+"-0", "1Gi")
		awaitBound(t, c, namespace, "data-"+name+"-1", "1Gi")
		scale := []byte(`{"spec": {"replicas": 1}}`)
		if _, err := c.AppsV1().StatefulSets(namespace).Patch(t.Context(), name, types.MergePatchType, scale, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	awaitClaims("drops", "data-drops-0")
	background := metav1.DeletePropagationBackground
	for _, name := range []string{"keeps", "drops"} {
		awaitSet(t, c, namespace, name, 1)
		if err := c.AppsV1().StatefulSets(namespace).Delete(t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
			t.Fatal(err)
		}
	}
	awaitClaims("drops")
	awaitClaims("keeps", "data-keeps-0", "data-keeps-1")
}

// TestHostFilesAreSafe: kube-controller-manager would delete the folder of such a
// volume, which is a folder of the machine that runs the tests.
func TestHostFilesAreSafe(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	volume := func(path string, policy corev1.PersistentVolumeReclaimPolicy) *corev1.PersistentVolume {
		return &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{GenerateName: namespace + "-"}, Spec: corev1.PersistentVolumeSpec{
			Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeSource:        corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path}},
			PersistentVolumeReclaimPolicy: policy, StorageClassName: "none-" + namespace,
		}}
	}
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	eventually(t, soon, func() error { // the policy is in force a second after the start
		_, err := c.CoreV1().PersistentVolumes().Create(t.Context(), volume("/tmp/mine", corev1.PersistentVolumeReclaimDelete), dry)
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "your machine") {
			return fmt.Errorf("a volume whose release deletes a folder: %v", err)
		}
		return nil
	})
	if _, err := c.CoreV1().PersistentVolumes().Create(t.Context(), volume("/home/me/tmp/mine", corev1.PersistentVolumeReclaimDelete), dry); err == nil {
		t.Error("a volume in a folder of that name elsewhere is let in")
	}
	for path, policy := range map[string]corev1.PersistentVolumeReclaimPolicy{
		"/tmp/mine": corev1.PersistentVolumeReclaimRetain, "/data/mine": corev1.PersistentVolumeReclaimDelete,
	} {
		if _, err := c.CoreV1().PersistentVolumes().Create(t.Context(), volume(path, policy), dry); err != nil {
			t.Errorf("a volume in %s with the policy %s: %v", path, policy, err)
		}
	}
}

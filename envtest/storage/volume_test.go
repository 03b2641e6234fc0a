package storage

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
)

// TestExpand: a claim that asks for more than it has gets it, also if its status does not say
// what it has. A test may write such a status itself, as it must where nothing binds claims.
// TestProvision: which claims get a volume, and for which the Driver tries again.
func TestProvision(t *testing.T) {
	class := func(mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
		return &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "own"}, Provisioner: Provisioner, VolumeBindingMode: &mode}
	}
	for name, tc := range map[string]struct {
		change func(*corev1.PersistentVolumeClaim)
		class  *storagev1.StorageClass
		made   bool
		fails  bool
	}{
		"asked for":          {func(*corev1.PersistentVolumeClaim) {}, class(storagev1.VolumeBindingImmediate), true, false},
		"asked of another":   {func(c *corev1.PersistentVolumeClaim) { c.Annotations[annotationAsked] = "files.example.com" }, class(storagev1.VolumeBindingImmediate), false, false},
		"waits for its Pod":  {func(*corev1.PersistentVolumeClaim) {}, class(storagev1.VolumeBindingWaitForFirstConsumer), false, false},
		"its Pod has a Node": {func(c *corev1.PersistentVolumeClaim) { c.Annotations[annotationNode] = "node-0" }, class(storagev1.VolumeBindingWaitForFirstConsumer), true, false},
		"chooses among volumes": {func(c *corev1.PersistentVolumeClaim) {
			c.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
		}, class(storagev1.VolumeBindingImmediate), false, false},
		"chooses any":           {func(c *corev1.PersistentVolumeClaim) { c.Spec.Selector = &metav1.LabelSelector{} }, class(storagev1.VolumeBindingImmediate), false, false},
		"its class was deleted": {func(*corev1.PersistentVolumeClaim) {}, nil, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			claim := &corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "data", UID: "u", Annotations: map[string]string{annotationAsked: Provisioner}},
				Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: ptr.To("own")},
			}
			tc.change(claim)
			cluster := fake.NewClientset(claim.DeepCopy())
			if tc.class != nil {
				if _, err := cluster.StorageV1().StorageClasses().Create(t.Context(), tc.class, metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			d, err := NewDriver(cluster)
			if err != nil {
				t.Fatal(err)
			}
			// If it is NotFound, it is not tried again.
			if err := d.provision(t.Context(), claim); (err != nil) != tc.fails || apierrors.IsNotFound(err) {
				t.Errorf("error %v, want one: %t", err, tc.fails)
			}
			volumes, err := cluster.CoreV1().PersistentVolumes().List(t.Context(), metav1.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if made := len(volumes.Items) == 1; made != tc.made {
				t.Errorf("volumes: %d, want one: %t", len(volumes.Items), tc.made)
			}
		})
	}
}

func TestExpand(t *testing.T) {
	size := func(text string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(text)}
	}
	for name, tc := range map[string]struct {
		has  corev1.ResourceList
		want string
	}{
		"a larger one":        {size("1Gi"), "2Gi"},
		"the same":            {size("2Gi"), "2Gi"},
		"nothing said":        {nil, "2Gi"},
		"something else said": {corev1.ResourceList{"other": resource.MustParse("1")}, "2Gi"},
	} {
		t.Run(name, func(t *testing.T) {
			claim := &corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "data", UID: "u"},
				Spec:       corev1.PersistentVolumeClaimSpec{VolumeName: "pvc-u", Resources: corev1.VolumeResourceRequirements{Requests: size("2Gi")}},
				Status:     corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, Capacity: tc.has},
			}
			volume := &corev1.PersistentVolume{
				ObjectMeta: metav1.ObjectMeta{Name: "pvc-u", Annotations: map[string]string{annotationMadeBy: Provisioner}},
				Spec:       corev1.PersistentVolumeSpec{Capacity: size("1Gi"), ClaimRef: &corev1.ObjectReference{UID: "u"}},
			}
			cluster := fake.NewClientset(claim.DeepCopy(), volume.DeepCopy())
			d, err := NewDriver(cluster)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.volumes.GetStore().Add(volume); err != nil {
				t.Fatal(err)
			}
			if err := d.change(t.Context(), claim); err != nil {
				t.Fatal(err)
			}
			got, err := cluster.CoreV1().PersistentVolumeClaims("ns").Get(t.Context(), "data", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if has := got.Status.Capacity[corev1.ResourceStorage]; has.String() != tc.want {
				t.Errorf("it has %s, want %s", has.String(), tc.want)
			}
		})
	}
}

// TestAttributes: the volume of a claim gets the attributes that the claim asks for, if they
// are there and for this driver.
func TestAttributes(t *testing.T) {
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	class := func(name, driver string) *storagev1.VolumeAttributesClass {
		return &storagev1.VolumeAttributesClass{ObjectMeta: metav1.ObjectMeta{Name: name}, DriverName: driver}
	}
	for name, tc := range map[string]struct {
		asked *string
		want  string // what the claim and its volume have then
		fails bool
	}{
		"others":              {ptr.To("gold"), "gold", false},
		"the same":            {ptr.To("silver"), "silver", false},
		"none":                {nil, "silver", false},
		"not there":           {ptr.To("lead"), "silver", true},
		"of another driver":   {ptr.To("paper"), "silver", true},
		"none, by their name": {ptr.To(""), "silver", false},
	} {
		t.Run(name, func(t *testing.T) {
			claim := &corev1.PersistentVolumeClaim{
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "data", UID: "u"},
				Spec: corev1.PersistentVolumeClaimSpec{
					VolumeName: "pvc-u", VolumeAttributesClassName: tc.asked, Resources: corev1.VolumeResourceRequirements{Requests: size},
				},
				Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, Capacity: size, CurrentVolumeAttributesClassName: ptr.To("silver")},
			}
			volume := &corev1.PersistentVolume{
				ObjectMeta: metav1.ObjectMeta{Name: "pvc-u", Annotations: map[string]string{annotationMadeBy: Provisioner}},
				Spec:       corev1.PersistentVolumeSpec{Capacity: size, ClaimRef: &corev1.ObjectReference{UID: "u"}, VolumeAttributesClassName: ptr.To("silver")},
			}
			cluster := fake.NewClientset(claim.DeepCopy(), volume.DeepCopy(), class("silver", Provisioner), class("gold", Provisioner), class("paper", "files.example.com"))
			d, err := NewDriver(cluster)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.volumes.GetStore().Add(volume); err != nil {
				t.Fatal(err)
			}
			// If it is NotFound, it is not tried again.
			if err := d.change(t.Context(), claim); (err != nil) != tc.fails || apierrors.IsNotFound(err) {
				t.Errorf("error %v, want one: %t", err, tc.fails)
			}
			gotClaim, err := cluster.CoreV1().PersistentVolumeClaims("ns").Get(t.Context(), "data", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			gotVolume, err := cluster.CoreV1().PersistentVolumes().Get(t.Context(), "pvc-u", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := ptr.Deref(gotClaim.Status.CurrentVolumeAttributesClassName, ""); got != tc.want {
				t.Errorf("the claim has %q, want %q", got, tc.want)
			}
			if got := ptr.Deref(gotVolume.Spec.VolumeAttributesClassName, ""); got != tc.want {
				t.Errorf("the volume has %q, want %q", got, tc.want)
			}
		})
	}
}

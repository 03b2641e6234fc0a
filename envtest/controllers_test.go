package envtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// TestControllersAreDocumented compares the controllers that the binary has with those that
// run and those that the documentation says do not.
func TestControllersAreDocumented(t *testing.T) {
	startsControlPlane(t)
	opts := Options{}
	opts.setDefaults()
	assets, err := opts.assets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	help, err := exec.CommandContext(t.Context(), filepath.Join(assets, controllerManager), "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(string(help), "All controllers: ")
	if !found {
		t.Fatalf("%s --help does not list its controllers:\n%s", controllerManager, help)
	}
	list, _, _ = strings.Cut(list, "\n")
	known := strings.Split(strings.TrimSpace(list), ", ")

	page, err := os.ReadFile("../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	version, err := VersionIn(t.Context(), assets)
	if err != nil {
		t.Fatal(err)
	}
	accounted := append(controllers(), controllersOfTable(t, string(page), version)...)
	slices.Sort(known)
	slices.Sort(accounted)
	if diff := cmp.Diff(known, accounted); diff != "" {
		t.Errorf("controllers of the binary, and those that run or are in the table of docs/cluster.md (-binary +here):\n%s", diff)
	}
}

// controllersOfTable returns the controllers that docs/cluster.md says a version has, and
// that do not run. Names that not all versions have are followed by (until 1.36) or by (from
// 1.36 on).
func controllersOfTable(t *testing.T, page, version string) (names []string) {
	t.Helper()
	number := func(minor string) int {
		n, err := strconv.Atoi(strings.TrimPrefix(minor, "1."))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	here := number(strings.TrimPrefix(minorOf(version), "v"))
	name := regexp.MustCompile("`([a-z-]+-controller)`")
	for _, row := range regexp.MustCompile("(?m)^\\| (`[a-z-]+-controller`(?:, `[a-z-]+-controller`)*)(?: \\((until|from) (1\\.[0-9]+)(?: on)?\\))? \\|").FindAllStringSubmatch(page, -1) {
		if row[2] == "until" && here > number(row[3]) || row[2] == "from" && here < number(row[3]) {
			continue
		}
		for _, found := range name.FindAllStringSubmatch(row[1], -1) {
			names = append(names, found[1])
		}
	}
	return names
}

// TestCertificates: a certificate that was asked for and approved is signed, and
// kube-apiserver trusts it.
func TestCertificates(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: namespace + "-user"}}, key)
	if err != nil {
		t.Fatal(err)
	}
	requests := c.CertificatesV1().CertificateSigningRequests()
	csr, err := requests.Create(t.Context(), &certificatesv1.CertificateSigningRequest{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Spec: certificatesv1.CertificateSigningRequestSpec{
			Request:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: request}),
			SignerName: certificatesv1.KubeAPIServerClientSignerName, Usages: []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	csr.Status.Conditions = append(csr.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Test",
	})
	if _, err := requests.UpdateApproval(t.Context(), csr.Name, csr, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() error {
		csr, err = requests.Get(t.Context(), csr.Name, metav1.GetOptions{})
		if err == nil && len(csr.Status.Certificate) == 0 {
			err = fmt.Errorf("not signed: %+v", csr.Status.Conditions)
		}
		return err
	})
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	config := rest.AnonymousClientConfig(sharedControlPlane(t).Config())
	config.CertData, config.KeyData = csr.Status.Certificate, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	expectUser(t, config, namespace+"-user")
}

// TestTokenOfASecret: a Secret of the type service-account-token gets a token that works.
func TestTokenOfASecret(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	if _, err := c.CoreV1().ServiceAccounts(namespace).Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "old"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	secret, err := c.CoreV1().Secrets(namespace).Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "token", Annotations: map[string]string{corev1.ServiceAccountNameKey: "old"}},
		Type:       corev1.SecretTypeServiceAccountToken,
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() error {
		secret, err = c.CoreV1().Secrets(namespace).Get(t.Context(), secret.Name, metav1.GetOptions{})
		if err == nil && len(secret.Data[corev1.ServiceAccountTokenKey]) == 0 {
			err = errors.New("the Secret has no token")
		}
		return err
	})
	config := rest.AnonymousClientConfig(sharedControlPlane(t).Config())
	config.BearerToken = string(secret.Data[corev1.ServiceAccountTokenKey])
	expectUser(t, config, "system:serviceaccount:"+namespace+":old")
}

func TestReplicationController(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	d := deployment("old", "example/app:1", 2)
	controllers := c.CoreV1().ReplicationControllers(namespace)
	if _, err := controllers.Create(t.Context(), &corev1.ReplicationController{ObjectMeta: d.ObjectMeta, Spec: corev1.ReplicationControllerSpec{
		Replicas: d.Spec.Replicas, Selector: d.Spec.Selector.MatchLabels, Template: &d.Spec.Template,
	}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() error {
		now, err := controllers.Get(t.Context(), "old", metav1.GetOptions{})
		if err == nil && now.Status.ReadyReplicas != 2 {
			err = fmt.Errorf("status %+v", now.Status)
		}
		return err
	})
}

// TestMirroredEndpoints: Endpoints that somebody writes get an EndpointSlice.
func TestMirroredEndpoints(t *testing.T) {
	t.Parallel()
	c, namespace := client(t)
	if _, err := c.CoreV1().Services(namespace).Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "elsewhere"}, Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	//lint:ignore SA1019 what is deprecated is still served, and still used
	endpoints := &corev1.Endpoints{
		ObjectMeta: metav1.ObjectMeta{Name: "elsewhere"},
		//lint:ignore SA1019 the same
		Subsets: []corev1.EndpointSubset{{Addresses: []corev1.EndpointAddress{{IP: "198.51.100.7"}}, Ports: []corev1.EndpointPort{{Port: 80}}}},
	}
	if _, err := c.CoreV1().Endpoints(namespace).Create(t.Context(), endpoints, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, soon, func() error {
		list, err := c.DiscoveryV1().EndpointSlices(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=elsewhere"})
		if err == nil && (len(list.Items) != 1 || list.Items[0].Endpoints[0].Addresses[0] != "198.51.100.7") {
			err = fmt.Errorf("slices %+v", list.Items)
		}
		return err
	})
}

// TestAddressOfAPIServer: the API server tells where it is, as in each cluster.
func TestAddressOfAPIServer(t *testing.T) {
	t.Parallel()
	c, _ := client(t)
	var at string
	eventually(t, soon, func() error {
		list, err := c.DiscoveryV1().EndpointSlices(metav1.NamespaceDefault).List(t.Context(), metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=kubernetes"})
		if err != nil {
			return err
		}
		if len(list.Items) != 1 || len(list.Items[0].Endpoints) != 1 || len(list.Items[0].Ports) != 1 {
			return fmt.Errorf("slices %+v", list.Items)
		}
		at = list.Items[0].Endpoints[0].Addresses[0]
		return nil
	})
	nodes, err := c.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{LabelSelector: "node-role.kubernetes.io/control-plane"})
	if err != nil {
		t.Fatal(err)
	}
	if got := nodes.Items[0].Status.Addresses[0].Address; got != at {
		t.Errorf("the API server is at %s, and the Node of the control plane at %s", at, got)
	}
	var versions metav1.APIVersions
	if err := c.CoreV1().RESTClient().Get().AbsPath("/api").SetHeader("Accept", "application/json").Do(t.Context()).Into(&versions); err != nil {
		t.Fatal(err)
	}
	if address := versions.ServerAddressByClientCIDRs[0].ServerAddress; !strings.HasPrefix(address, loopback+":") {
		t.Errorf("discovery names the server %s, where nothing answers", address)
	}
}

// expectUser expects that kube-apiserver takes the owner of these credentials for this user.
func expectUser(t *testing.T, config *rest.Config, want string) {
	t.Helper()
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	review, err := c.AuthenticationV1().SelfSubjectReviews().Create(t.Context(), &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := review.Status.UserInfo.Username; got != want {
		t.Errorf("the user is %q, want %q", got, want)
	}
}

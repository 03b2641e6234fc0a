package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// talkativeArgument makes the test binary a subject that tells its secrets to everybody.
const talkativeArgument = "tell-all-secrets"

// webApps is where all of them are.
const webApps = "/apis/apps.kubedojo.io/v1beta1/webapps"

// leakName is the Deployment into which it puts them.
const leakName = "leak"

// talk is what the subject does, until it is told to end.
func talk() error {
	config, err := rest.InClusterConfig()
	if err != nil {
		return err
	}
	token, err := os.ReadFile(config.BearerTokenFile)
	if err != nil {
		return err
	}
	other, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		return err
	}
	key := string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
	secrets := map[string]string{"example.com/token": string(token), "example.com/kubeconfig": other.BearerToken, "example.com/key": key}
	go watch(rest.CopyConfig(config)) // by which it counts as ready
	config.Timeout = 10 * time.Second
	tick := time.NewTicker(200 * time.Millisecond)
	for range tick.C {
		if err := say(secrets, config); err != nil {
			fmt.Println(err)
		}
	}
	return nil
}

// watch all WebApps, and do nothing with them.
func watch(config *rest.Config) {
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		panic(err)
	}
	for {
		stream, err := clients.RESTClient().Get().AbsPath(webApps).Param("watch", "true").Stream(context.Background())
		if err != nil {
			fmt.Println(err)
			continue
		}
		_, _ = io.Copy(io.Discard, stream)
		stream.Close()
	}
}

// say the secrets in lines, in parts of lines, in JSON, and in requests.
func say(secrets map[string]string, config *rest.Config) error {
	ctx := context.Background()
	token := secrets["example.com/token"]
	half := len(token) / 2
	fmt.Fprintf(os.Stdout, "Authorization: Bearer %s\n", token)
	fmt.Fprint(os.Stdout, token[:half])
	fmt.Fprintln(os.Stdout, token[half:])
	fmt.Fprint(os.Stderr, secrets["example.com/key"])
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"level": "error", "msg": "refused with " + token, "secrets": secrets}); err != nil {
		return err
	}
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	served, err := clients.RESTClient().Get().AbsPath(webApps).Param("token", token).DoRaw(ctx)
	if err != nil {
		return err
	}
	var list metav1.PartialObjectMetadataList
	if err := json.NewDecoder(bytes.NewReader(served)).Decode(&list); err != nil {
		return err
	}
	for _, item := range list.Items {
		deployments := clients.AppsV1().Deployments(item.Namespace)
		for _, name := range []string{leakName, item.Name, strings.ToLower(token)} { // of which the last is refused
			labels := map[string]string{"app": item.Name}
			_, err := deployments.Create(ctx, &appsv1.Deployment{
				ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: secrets, OwnerReferences: owner(&item, token)},
				Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
					ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: secrets},
					Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: token}}},
				}},
			}, metav1.CreateOptions{})
			if err != nil {
				fmt.Println(err)
			}
		}
		if _, err := deployments.Get(ctx, token, metav1.GetOptions{}); err != nil {
			fmt.Println(err)
		}
	}
	return nil
}

// owner of what it makes, as a controller would say it, or with a token for a name.
func owner(item *metav1.PartialObjectMetadata, token string) []metav1.OwnerReference {
	return []metav1.OwnerReference{
		{APIVersion: "apps.kubedojo.io/v1beta1", Kind: "WebApp", Name: item.Name, UID: item.UID},
		{APIVersion: "v1", Kind: "Secret", Name: token, UID: "none"},
	}
}

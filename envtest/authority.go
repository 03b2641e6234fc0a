package envtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/keyutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// validity is for how long a certificate is valid. No control plane runs for that long.
const validity = 7 * 24 * time.Hour

// authority signs the certificates of users. kube-apiserver trusts it. envtest has one, too,
// but keeps its key for itself, and kube-controller-manager needs the key to sign what a
// CertificateSigningRequest asks for.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
}

var _ envtest.Authn = (*authority)(nil)

func newAuthority() (*authority, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "users"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	cert, err := signed(template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &authority{cert: cert, key: key}, nil
}

// Configure sets the folder for the authority's files, and kube-apiserver's flags for them.
func (a *authority) Configure(dir string, args *envtest.Arguments) error {
	a.dir = dir
	args.Set("client-ca-file", a.certFile())
	args.Set("proxy-client-cert-file", a.join("proxy-client.crt"))
	args.Set("proxy-client-key-file", a.join("proxy-client.key"))
	return nil
}

// Start writes the files.
func (a *authority) Start() error {
	key, err := keyutil.MarshalPrivateKeyToPEM(a.key)
	if err != nil {
		return fmt.Errorf("encoding the key of the users' authority: %w", err)
	}
	// With these, kube-apiserver shows other servers who it is.
	proxy, err := a.AddUser(envtest.User{Name: "front-proxy"}, &rest.Config{})
	if err != nil {
		return err
	}
	for path, data := range map[string][]byte{
		a.certFile(): encoded(a.cert), a.keyFile(): key,
		a.join("proxy-client.crt"): proxy.CertData, a.join("proxy-client.key"): proxy.KeyData,
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return fmt.Errorf("writing the users' authority: %w", err)
		}
	}
	return nil
}

// AddUser returns base with a certificate for user.
func (a *authority) AddUser(user envtest.User, base *rest.Config) (*rest.Config, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	cert, err := signed(&x509.Certificate{
		Subject:  pkix.Name{CommonName: user.Name, Organization: user.Groups},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	config := rest.CopyConfig(base)
	config.CertData = encoded(cert)
	config.KeyData, err = keyutil.MarshalPrivateKeyToPEM(key)
	return config, err
}

// serving returns a certificate for a server of this process.
func (a *authority) serving(host string) (tls.Certificate, error) {
	key, err := newKey()
	if err != nil {
		return tls.Certificate{}, err
	}
	cert, err := signed(&x509.Certificate{
		Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}, nil
}

// Stop does nothing: the files are removed with their folder.
func (a *authority) Stop() error { return nil }

func (a *authority) certFile() string        { return a.join("users-ca.crt") }
func (a *authority) keyFile() string         { return a.join("users-ca.key") }
func (a *authority) join(name string) string { return filepath.Join(a.dir, name) }

func newKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	return key, nil
}

// signed returns the certificate that template describes, signed by parent.
func signed(template, parent *x509.Certificate, public *ecdsa.PublicKey, key *ecdsa.PrivateKey) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("making a serial number: %w", err)
	}
	now := time.Now()
	template.SerialNumber, template.NotBefore, template.NotAfter = serial, now.Add(-time.Minute), now.Add(validity)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		return nil, fmt.Errorf("signing a certificate: %w", err)
	}
	return x509.ParseCertificate(der)
}

func encoded(cert *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})
}

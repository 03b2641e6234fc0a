package envtest

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
)

// serve answers requests of kube-apiserver on a port of this machine. The server has the name
// host. It runs in this process, until the control plane is stopped or breaks.
func (cp *ControlPlane) serve(host string, handler http.Handler, clients tls.ClientAuthType) (port int, err error) {
	certificate, err := cp.users.serving(host)
	if err != nil {
		return 0, err
	}
	trusted := x509.NewCertPool()
	trusted.AddCert(cp.users.cert)
	listener, err := net.Listen("tcp", net.JoinHostPort(localhost, "0"))
	if err != nil {
		return 0, fmt.Errorf("starting a server for kube-apiserver: %w", err)
	}
	server := &http.Server{
		Handler:   handler,
		ErrorLog:  log.New(io.Discard, "", 0), // there is nobody to tell
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, ClientCAs: trusted, ClientAuth: clients},
	}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	go func() {
		<-cp.done
		_ = server.Close()
	}()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

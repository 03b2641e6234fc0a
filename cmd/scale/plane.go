package main

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/profile"
)

// subjectUser is the user that the controller is to the API server.
const subjectUser = "the-controller"

// auditPolicy notes each request of the controller: a watch when it begins, all others when
// they end. Leases and Events are not work on objects.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: None
  resources: [{group: coordination.k8s.io}, {group: "", resources: [events]}, {group: events.k8s.io}]
- {level: Metadata, users: [` + subjectUser + `], verbs: [watch], omitStages: [RequestReceived, ResponseComplete]}
- {level: Metadata, users: [` + subjectUser + `], omitStages: [RequestReceived]}
- {level: None}
`

// plane is a control plane of etcd and kube-apiserver, in a folder of its own. It ends with
// this program, also if that is killed.
type plane struct {
	env    *envtest.Environment
	life   *supervisor.Lifeline
	dir    string
	admin  *rest.Config
	audit  *audit
	access []byte // kubeconfig of the controller
}

// startPlane starts one that knows the CRDs of a profile.
func startPlane(assets string, p *profile.Profile) (_ *plane, err error) {
	crds, err := p.CRDs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "reconform-scale-")
	if err != nil {
		return nil, err
	}
	c := &plane{dir: dir, env: &envtest.Environment{CRDs: crds}}
	defer func() {
		if err != nil {
			c.stop()
		}
	}()
	if err := c.supervise(assets); err != nil {
		return nil, err
	}
	policy, log := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "audit.log")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return nil, err
	}
	c.env.ControlPlane.GetAPIServer().Configure().
		Append("audit-policy-file", policy).Append("audit-log-path", log).Append("audit-log-maxsize", "8192").
		Set("service-cluster-ip-range", "10.0.0.0/16"). // more than 10,000 addresses
		Append("enable-priority-and-fairness", "false").Append("max-requests-inflight", "0").Append("max-mutating-requests-inflight", "0")
	if c.admin, err = c.env.Start(); err != nil {
		return nil, fmt.Errorf("starting the control plane: %w", err)
	}
	c.admin.QPS = -1
	user, err := c.env.AddUser(envtest.User{Name: subjectUser, Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return nil, fmt.Errorf("making a user for the controller: %w", err)
	}
	if c.access, err = user.KubeConfig(); err != nil {
		return nil, fmt.Errorf("making a user for the controller: %w", err)
	}
	c.audit = &audit{path: log}
	return c, nil
}

// supervise lets etcd and kube-apiserver run under supervisors.
func (c *plane) supervise(assets string) (err error) {
	if c.life, err = supervisor.NewLifeline(c.dir); err != nil {
		return err
	}
	etcd := &envtest.Etcd{}
	c.env.ControlPlane.Etcd = etcd
	for name, path := range map[string]*string{"etcd": &etcd.Path, "kube-apiserver": &c.env.ControlPlane.GetAPIServer().Path} {
		if *path, err = c.life.Link(name, filepath.Join(assets, name), supervisor.Options{Remove: c.dir}); err != nil {
			return err
		}
	}
	return nil
}

func (c *plane) stop() {
	if err := c.env.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "warning: stopping the control plane:", err)
	}
	if c.life != nil {
		_ = c.life.Close()
	}
	_ = os.RemoveAll(c.dir)
}

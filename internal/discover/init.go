package discover

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/discover/visit"
	"reconform.dev/reconform/internal/report"
)

// Request is what Init is asked for.
type Request struct {
	// Place says where the manifests are, and which profile is written. If it has no RBAC,
	// the controller may do everything, and a role of what it asked for is written beside
	// the profile.
	Place visit.Place
	// Sample is a file with an object, and the other objects that it needs.
	Sample string
	// Command starts the controller, with the variables of Env. In both, templates of
	// launch.command are filled in.
	Command []string
	Env     map[string]string
	// Kubernetes is the version of the control plane. If it is empty, it is the default one.
	Kubernetes string
	// MaxTime ends the look: what is not finished by then does not count. 0 is no limit.
	MaxTime time.Duration
	// Unconfined runs the controller without a sandbox.
	Unconfined bool
	// Console shows the progress.
	Console *report.Console
}

// Failure is an error that is not the caller's fault: the bench failed, or the controller
// showed nothing.
type Failure struct{ Err error }

func (e *Failure) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Failure) Unwrap() error { return e.Err }

// Init looks at a controller and writes a profile of it, with the files that belong to it:
// [Request.RoleFile] and [Request.SetupFile]. It returns what the profile says. The error is
// a *[Failure] unless something is wrong with the request.
func Init(ctx context.Context, request Request) (_ *infer.Findings, err error) {
	given, err := visit.Read(request.Place.CRDs, request.Sample, request.Place.Values, request.Command)
	if err != nil {
		return nil, err
	}
	given.Env = request.Env
	for _, words := range given.LeftOut {
		request.Console.Printf("left out of the sample: %s", words)
	}
	work, err := folder.Temporary("init-")
	if err != nil {
		return nil, &Failure{err}
	}
	defer func() { err = work.Finish(err) }()

	i := &initiation{Request: request, given: given, place: request.Place, told: map[string]bool{}}
	if file := visit.FileHere(request.Command); file != "" && i.place.Directory == "" {
		i.place.Directory = "."
		i.tell("it is started in this folder, and may read it, because its command names " + file + ", which is here; --directory names another folder")
	}
	if request.MaxTime > 0 {
		i.until = time.Now().Add(request.MaxTime)
	}
	if len(request.Place.RBAC) == 0 {
		everything := filepath.Join(work.Path(), "all-rights.yaml")
		i.place.RBAC = []string{everything}
		if err := os.WriteFile(everything, []byte(allRights), 0o600); err != nil {
			return nil, &Failure{fmt.Errorf("writing a role: %w", err)}
		}
	}
	record, err := i.look(ctx, work.Path())
	if err != nil {
		return nil, err
	}
	if webhook := record.Webhook; webhook != nil && webhook.Problem != "" {
		return nil, fmt.Errorf("--webhook-port %d: %s; if it does not look in /tmp/k8s-webhook-server/serving-certs, a flag of the command must name the folder of the certificate, {{ .certificates }}",
			webhook.Port, webhook.Problem)
	}
	return i.write(record)
}

// allRights is the role for a first look at a controller whose own role is not known.
const allRights = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: all}
rules:
- {apiGroups: ["*"], resources: ["*"], verbs: ["*"]}
- {nonResourceURLs: ["*"], verbs: ["*"]}
`

// initiation is one Init.
type initiation struct {
	Request
	given *visit.Given
	place visit.Place // as it was found out so far
	told  map[string]bool
	until time.Time // when the look is over
}

// tell tells a note about the manifests, once.
func (i *initiation) tell(note string) {
	if !i.told[note] {
		i.told[note] = true
		i.Console.Printf("note: %s", note)
	}
}

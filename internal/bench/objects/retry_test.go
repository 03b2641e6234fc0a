package objects

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestAnAPIServerThatDoesNotAnswer(t *testing.T) {
	pods := corev1.Resource("pods")
	for name, tc := range map[string]struct {
		err    error
		silent bool // it says nothing of the object
	}{
		"unavailable":        {apierrors.NewServiceUnavailable("etcd is away"), true},
		"a timeout":          {apierrors.NewServerTimeout(pods, "list", 1), true},
		"too many requests":  {apierrors.NewTooManyRequests("later", 1), true},
		"an error of its":    {apierrors.NewInternalError(errors.New("etcd is away")), true},
		"nobody listens":     {&url.Error{Op: "Get", URL: "https://api", Err: syscall.ECONNREFUSED}, true},
		"there is no kind":   {apierrors.NewNotFound(pods, ""), false},
		"it is not allowed":  {apierrors.NewForbidden(pods, "", errors.New("no right")), false},
		"what the actor has": {errors.New("compiling never: syntax error"), false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				s.actor.err = fmt.Errorf("listing pods: %w", tc.err)
				began := time.Now()
				response := s.admission.Handle(t.Context(), creation(t, "new"))
				took, message := time.Since(began), response.Result.Message
				said := strings.HasPrefix(message, "the API server did not answer: listing pods: ")
				if response.Allowed || said != tc.silent || (response.Result.Code == http.StatusInternalServerError) != tc.silent {
					t.Errorf("response: %+v", response.Result)
				}
				if (took > 10*time.Second) != tc.silent || took > 25*time.Second {
					t.Errorf("it took %s", took)
				}
				if one, waits := s.arrivals.of(demo); waits {
					t.Errorf("awaited: %+v", one)
				}
			})
		})
	}
}

func TestAnAPIServerThatAnswersLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.actor.err = apierrors.NewServiceUnavailable("etcd is away")
		time.AfterFunc(2*time.Second, func() {
			s.actor.mu.Lock()
			defer s.actor.mu.Unlock()
			s.actor.err = nil
		})
		s.admit(t, "new")
		s.isInForce(t, "in the end", "new")
	})
}

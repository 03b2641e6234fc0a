package incluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/streaming/pkg/httpstream"

	"reconform.dev/reconform/internal/process/tunnel"
)

// connect starts the relay in a container and returns the tunnel to it. The relay listens
// on an address in the Pod. The tunnel ends when it is closed, when the container ends, or
// when the context ends.
func connect(ctx context.Context, config *rest.Config, pod *corev1.Pod, container, address string) (*tunnel.Tunnel, error) {
	client, err := restClient(config)
	if err != nil {
		return nil, err
	}
	url := client.Post().Resource("pods").Namespace(pod.Namespace).Name(pod.Name).SubResource("exec").
		VersionedParams(&corev1.PodExecOptions{
			Container: container, Command: []string{relayProgram, "carry", address}, Stdin: true, Stdout: true, Stderr: true,
		}, scheme.ParameterCodec).URL()
	web, err := remotecommand.NewWebSocketExecutor(config, http.MethodGet, url.String())
	if err != nil {
		return nil, fmt.Errorf("connecting to the relay: %w", err)
	}
	spdy, err := remotecommand.NewSPDYExecutor(config, http.MethodPost, url)
	if err != nil {
		return nil, fmt.Errorf("connecting to the relay: %w", err)
	}
	executor, err := remotecommand.NewFallbackExecutor(web, spdy, func(err error) bool {
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
	if err != nil {
		return nil, fmt.Errorf("connecting to the relay: %w", err)
	}
	s := newStream(ctx, executor)
	t, err := tunnel.Open(s)
	if err == nil {
		// The relay is ready when it answers.
		if err = t.Ping(); err == nil {
			return t, nil
		}
		err = errors.Join(err, t.Close())
	}
	return nil, fmt.Errorf("connecting to the relay in %s/%s: %w", pod.Namespace, pod.Name, errors.Join(err, s.Close(), s.failure()))
}

func restClient(config *rest.Config) (*rest.RESTClient, error) {
	config = rest.CopyConfig(config)
	config.APIPath, config.GroupVersion = "/api", &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("making a client for Pods: %w", err)
	}
	return client, nil
}

// stream is the input and output of a program that runs in a container.
type stream struct {
	io.Reader
	io.Writer
	end   context.CancelFunc
	ended chan struct{}
	once  sync.Once
	ends  []io.Closer

	err   error // of the program; set after ended
	words bytes.Buffer
}

func newStream(ctx context.Context, executor remotecommand.Executor) *stream {
	in, toProgram := io.Pipe()
	fromProgram, out := io.Pipe()
	ctx, end := context.WithCancel(ctx)
	s := &stream{Reader: fromProgram, Writer: toProgram, end: end, ended: make(chan struct{}), ends: []io.Closer{toProgram, fromProgram}}
	go func() {
		defer close(s.ended)
		s.err = executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: in, Stdout: out, Stderr: &s.words})
		_ = out.CloseWithError(io.EOF)
		_ = in.CloseWithError(io.ErrClosedPipe)
	}()
	return s
}

// Close ends the program.
func (s *stream) Close() error {
	s.once.Do(func() {
		s.end()
		for _, end := range s.ends {
			_ = end.Close()
		}
	})
	<-s.ended
	return nil
}

// failure returns the program's error message, or the way in which it ended. It must have
// ended.
func (s *stream) failure() error {
	if words := strings.TrimSpace(s.words.String()); words != "" {
		return errors.New(words)
	}
	if errors.Is(s.err, context.Canceled) {
		return nil
	}
	return s.err
}

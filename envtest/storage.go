package envtest

import (
	"context"

	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/envtest/storage"
)

// startStorage starts the driver of the volumes. It runs in this process, until the control
// plane is stopped or breaks.
func (cp *ControlPlane) startStorage() error {
	config := cp.Config()
	config.BearerToken, config.UserAgent = cp.tokens[clientUser(storageDriver)], storageDriver
	cluster, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	driver, err := storage.NewDriver(cluster)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		driver.Run(ctx)
	}()
	go func() {
		<-cp.done
		cancel()
	}()
	cp.endStorage = func() { <-ended }
	return nil
}

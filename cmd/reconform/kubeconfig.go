package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"

	"reconform.dev/reconform/envtest/folder"
)

// kubeconfigFile is the file to which up writes the kubeconfig for the user. An extension
// in it names the folder of the process that wrote it. This shows that the file is ours,
// and whether the process is gone. kubectl keeps the extension when it changes the file.
type kubeconfigFile struct {
	path  string
	owner string
}

const ownerExtension = "reconform.dev/up"

// takeOver makes room for the file: it removes one that a dead process has left. Any other
// file is an error.
func (f kubeconfigFile) takeOver() error {
	if err := checkFolderOf(f.path); err != nil {
		return fmt.Errorf("%s cannot be written: %w", f.path, err)
	}
	owner, err := f.present()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case owner == "":
		return fmt.Errorf("%s exists: name another file, or remove it", f.path)
	case !folder.Abandoned(owner):
		return fmt.Errorf("%s exists, and the reconform up that wrote it is running: name another file", f.path)
	}
	if err := os.Remove(f.path); err != nil {
		return fmt.Errorf("removing what a killed reconform up left: %w", err)
	}
	return nil
}

// present returns the owner of the existing file, or "" if the file is not ours.
func (f kubeconfigFile) present() (owner string, err error) {
	info, err := os.Lstat(f.path)
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	config, err := clientcmd.LoadFromFile(f.path)
	if err != nil {
		return "", nil // it is another file
	}
	if extension, ok := config.Extensions[ownerExtension].(*runtime.Unknown); ok {
		_ = json.Unmarshal(extension.Raw, &owner) // if it is not a text, it is not ours
	}
	return owner, nil
}

func (f kubeconfigFile) write(content []byte) error {
	content, err := f.owned(content)
	if err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", errors.Join(err, os.Remove(f.path)))
	}
	return nil
}

// owned returns a kubeconfig that names its owner.
func (f kubeconfigFile) owned(content []byte) ([]byte, error) {
	config, err := clientcmd.Load(content)
	if err != nil {
		return nil, err
	}
	name, err := json.Marshal(f.owner)
	if err != nil {
		return nil, err
	}
	config.Extensions[ownerExtension] = &runtime.Unknown{Raw: name, ContentType: runtime.ContentTypeJSON}
	return clientcmd.Write(*config)
}

// remove removes the file, unless it is no longer ours.
func (f kubeconfigFile) remove() error {
	owner, err := f.present()
	if errors.Is(err, fs.ErrNotExist) || err == nil && owner != f.owner {
		return nil
	}
	if err == nil {
		err = os.Remove(f.path)
	}
	if err != nil {
		return fmt.Errorf("removing the kubeconfig: %w", err)
	}
	return nil
}

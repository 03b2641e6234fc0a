package release

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"reconform.dev/reconform/envtest/folder"
)

// binaries are the programs of a control plane.
var binaries = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kwok"}

// maxContent limits the unpacked size of an archive.
const maxContent = 2 << 30

// Install puts the binaries of a Kubernetes version into the folder dest, and replaces its
// content. It does nothing if they are there already.
func (a *Archive) Install(ctx context.Context, version, dest string) error {
	there, err := a.InstalledIn(ctx, dest)
	if err != nil || there {
		return err
	}
	dest, err = filepath.Abs(dest)
	if err != nil {
		return fmt.Errorf("finding %s: %w", dest, err)
	}
	if err := os.MkdirAll(filepath.Dir(dest), 0o755); err != nil {
		return fmt.Errorf("making the folder for the control plane's binaries: %w", err)
	}
	// The folder is beside dest, so that it can be renamed.
	work, err := folder.TemporaryIn(filepath.Dir(dest), "assets-")
	if err != nil {
		return err
	}
	return errors.Join(a.install(ctx, version, work.Path(), dest), work.Remove())
}

func (a *Archive) install(ctx context.Context, version, work, dest string) error {
	archive, err := a.open(ctx, work)
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := a.verify(interruptible{ctx, archive}); err != nil {
		return err
	}
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("reading %s again: %w", a.name(), err)
	}
	fresh := filepath.Join(work, "new")
	if err := a.unpackTo(interruptible{ctx, archive}, version, fresh); err != nil {
		return fmt.Errorf("unpacking %s: %w", a.name(), err)
	}
	if err := place(fresh, dest, filepath.Join(work, "old")); err != nil {
		if there, _ := a.InstalledIn(ctx, dest); there {
			return nil // another process has done it meanwhile
		}
		return fmt.Errorf("putting the control plane's binaries in place: %w", err)
	}
	a.say("unpacked the control plane's binaries into %s", dest)
	return nil
}

// open opens the archive. If it is not a file, it is downloaded first.
func (a *Archive) open(ctx context.Context, work string) (*os.File, error) {
	location, err := a.url()
	if err != nil {
		return nil, err
	}
	if location == nil {
		if err := a.look(); err != nil {
			return nil, err
		}
		file, err := os.Open(a.Location)
		if err != nil {
			return nil, fmt.Errorf("opening the archive that %s names: %w", cmp.Or(a.LocationFrom, LocationVariable), err)
		}
		return file, nil
	}
	file, err := os.Create(filepath.Join(work, "archive.tar.gz"))
	if err != nil {
		return nil, fmt.Errorf("downloading %s: %w", a.name(), err)
	}
	if err := a.download(ctx, file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, errors.Join(fmt.Errorf("reading what was downloaded: %w", err), file.Close())
	}
	return file, nil
}

func (a *Archive) unpackTo(archive io.Reader, version, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := unpack(archive, version, maxContent, root); err != nil {
		return err
	}
	if err := complete(dir); err != nil {
		return err
	}
	if err := runnable(dir); err != nil {
		return err
	}
	return root.WriteFile(marker, []byte(a.SHA256+"\n"), 0o644)
}

// complete returns an error if a binary is missing.
func complete(dir string) error {
	for _, name := range binaries {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			return fmt.Errorf("it lacks %s", name)
		}
	}
	return nil
}

// runnable returns an error if a binary is for another kind of machine.
func runnable(dir string) error {
	for _, name := range binaries {
		info, err := buildinfo.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("looking for what machine %s is: %w", name, err)
		}
		platform := map[string]string{}
		for _, setting := range info.Settings {
			platform[setting.Key] = setting.Value
		}
		found := platform["GOOS"] + "/" + platform["GOARCH"]
		if want := runtime.GOOS + "/" + runtime.GOARCH; found != want {
			return fmt.Errorf("%s is for %s, and this machine is %s", name, found, want)
		}
	}
	return nil
}

// place moves a folder to dest. If there is already a folder, it is moved to old.
func place(fresh, dest, old string) error {
	if err := os.Rename(dest, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, dest); err != nil {
		if back := os.Rename(old, dest); back != nil && !errors.Is(back, fs.ErrNotExist) {
			err = errors.Join(err, back)
		}
		return err
	}
	return nil
}

// interruptible is a reader that ends with its context.
type interruptible struct {
	ctx  context.Context
	from io.Reader
}

func (r interruptible) Read(buffer []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.from.Read(buffer)
}

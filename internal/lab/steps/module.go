package steps

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The files in the folder of labs from which a student's Go module is made. They have
// special names, because a folder with a go.mod is another module and cannot be embedded.
const (
	ModFile = "student/go.mod.txt"
	SumFile = "student/go.sum.txt"
	CRDFile = "student/crd.yaml"
)

// Module returns the files from which a student's module is made, by their path in the
// folder of labs. The student's module gets the versions of the module that contains this
// folder.
func Module(ctx context.Context, labs string) (map[string]string, error) {
	used, err := modules(ctx, labs)
	if err != nil {
		return nil, err
	}
	root := filepath.Dir(filepath.Clean(labs))
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("reading the versions: %w", err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return nil, fmt.Errorf("reading the sums: %w", err)
	}
	crd, err := os.ReadFile(filepath.Join(root, "controller", "config", "crd", "bases", "apps.kubedojo.io_webapps.yaml"))
	if err != nil {
		return nil, fmt.Errorf("reading the CRD: %w", err)
	}
	return map[string]string{ModFile: modFile(string(mod), used), SumFile: sumFile(string(sum), used), CRDFile: string(crd)}, nil
}

// promhttp is what a lab in beyond is built from, besides the packages of the controller.
const promhttp = "github.com/prometheus/client_golang/prometheus/promhttp"

// modules returns the modules that the labs' controllers are built from, each with its
// version.
func modules(ctx context.Context, labs string) ([]string, error) {
	list := exec.CommandContext(ctx, "go", "list", "-deps",
		"-f", `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}`, "./controller", promhttp)
	list.Dir = labs
	list.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	var problem bytes.Buffer
	list.Stderr = &problem
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the modules of the controller: %w: %s", err, problem.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	return slices.DeleteFunc(slices.Compact(lines), func(line string) bool { return line == "" }), nil
}

// modFile makes the go.mod of a student's module from ours.
func modFile(ours string, used []string) string {
	version := "1.26"
	for line := range strings.Lines(ours) {
		if v, ok := strings.CutPrefix(strings.TrimSpace(line), "go "); ok {
			version = v
		}
	}
	direct := func(module string) bool {
		path, _, _ := strings.Cut(module, " ")
		return slices.Contains([]string{"github.com/prometheus/client_golang", "k8s.io/api", "k8s.io/apimachinery", "k8s.io/client-go", "k8s.io/utils"}, path)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "module webapp-controller\n\ngo %s\n\nrequire (\n", version)
	for _, module := range used {
		if direct(module) {
			fmt.Fprintf(&text, "\t%s\n", module)
		}
	}
	text.WriteString(")\n\nrequire (\n")
	for _, module := range used {
		if !direct(module) {
			fmt.Fprintf(&text, "\t%s // indirect\n", module)
		}
	}
	text.WriteString(")\n")
	return text.String()
}

// sumFile returns the sums of the modules, and those of all go.mod files that may be needed
// to select versions.
func sumFile(ours string, used []string) string {
	var text strings.Builder
	for line := range strings.Lines(ours) {
		words := strings.Fields(line)
		if len(words) == 3 && (strings.HasSuffix(words[1], "/go.mod") || slices.Contains(used, words[0]+" "+words[1])) {
			text.WriteString(line)
		}
	}
	return text.String()
}

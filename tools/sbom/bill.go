package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/package-url/packageurl-go"
)

// bill lists the programs, and the modules that they are built from.
func bill(name, version string, programs []string) (*cyclonedx.BOM, error) {
	whole := cyclonedx.Component{BOMRef: name, Type: cyclonedx.ComponentTypeApplication, Name: name, Version: version}
	var components []cyclonedx.Component
	dependencies := []cyclonedx.Dependency{{Ref: whole.BOMRef, Dependencies: &[]string{}}}
	listed := map[string]bool{}
	for _, file := range programs {
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading what %s is built of: %w", file, err)
		}
		program, err := application(file, version, info)
		if err != nil {
			return nil, err
		}
		components = append(components, program)
		*dependencies[0].Dependencies = append(*dependencies[0].Dependencies, program.BOMRef)
		var of []string
		for _, m := range modules(info) {
			of = append(of, m.BOMRef)
			if !listed[m.BOMRef] {
				listed[m.BOMRef] = true
				components = append(components, m)
			}
		}
		dependencies = append(dependencies, cyclonedx.Dependency{Ref: program.BOMRef, Dependencies: &of})
	}
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &whole}
	bom.Components, bom.Dependencies = &components, &dependencies
	return bom, nil
}

// application is a program itself.
func application(file, version string, info *debug.BuildInfo) (cyclonedx.Component, error) {
	content, err := os.Open(file)
	if err != nil {
		return cyclonedx.Component{}, fmt.Errorf("reading %s: %w", file, err)
	}
	defer content.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, content); err != nil {
		return cyclonedx.Component{}, fmt.Errorf("reading %s: %w", file, err)
	}
	properties := []cyclonedx.Property{{Name: "go:package", Value: info.Path}}
	for _, setting := range info.Settings {
		if slices.Contains([]string{"GOOS", "GOARCH", "CGO_ENABLED", "-trimpath"}, setting.Key) {
			properties = append(properties, cyclonedx.Property{Name: "go:" + setting.Key, Value: setting.Value})
		}
	}
	name := filepath.Base(file)
	return cyclonedx.Component{
		BOMRef: "program:" + name, Type: cyclonedx.ComponentTypeApplication, Name: name, Version: version,
		Hashes:     &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum.Sum(nil))}},
		Properties: &properties,
	}, nil
}

// modules that a program is built of, and Go's own library.
func modules(info *debug.BuildInfo) []cyclonedx.Component {
	found := []cyclonedx.Component{library("std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		found = append(found, library(m.Path, m.Version))
	}
	return found
}

func library(path, version string) cyclonedx.Component {
	namespace, name := "", path
	if slash := strings.LastIndex(path, "/"); slash >= 0 {
		namespace, name = path[:slash], path[slash+1:]
	}
	address := packageurl.NewPackageURL(packageurl.TypeGolang, namespace, name, version, nil, "").ToString()
	return cyclonedx.Component{
		BOMRef: address, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: address,
	}
}

#!/usr/bin/env bash
# Makes the tree of a release, for the platform of GOOS and GOARCH:
#
#     release/tree.sh VERSION FOLDER
#
# It is a part of the repository's: what `bin/reconform run` needs, at the places where it looks for it.
set -euo pipefail

version=${1:?usage: $0 VERSION FOLDER}
mkdir -p "${2:?usage: $0 VERSION FOLDER}"
dest=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
# Static, so that they run in an image with nothing else.
export CGO_ENABLED=0 GOWORK=off

kubernetes=$(cd envtest/assets && go list -m -f '{{.Version}}' k8s.io/kubernetes)
platform=$(go env GOOS)-$(go env GOARCH)
if [ "$platform" = "$(go env GOHOSTOS)-$(go env GOHOSTARCH)" ]; then
	assets=bin/k8s/$kubernetes
else
	assets=bin/k8s/$platform/$kubernetes
fi
envtest/assets/build.sh "$assets"

rm -rf "${dest:?}"/*
mkdir -p "$dest/bin/k8s" "$dest/fixtures/profiles" "$dest/controller"
# With their symbols, by which govulncheck knows what is called.
go build -buildvcs=false -tags kustomize_disable_go_plugin_support -ldflags "-w -X main.version=$version" -o "$dest/bin/reconform" ./cmd/reconform
go build -buildvcs=false -tags kustomize_disable_go_plugin_support -ldflags "-w" -o "$dest/bin/manager" ./controller/cmd/manager
# For a Job: docs/scale-out.md
go build -buildvcs=false -tags kustomize_disable_go_plugin_support -ldflags "-w" -o "$dest/bin/shard" ./cmd/shard
cp -R "$assets" "$dest/bin/k8s/$kubernetes"
rm -f "$dest/bin/k8s/$kubernetes/.unpacked"
# The reference controller can be judged at once, and its profile copied.
cp fixtures/profiles/{reference.yaml,profile.schema.json,README.md} "$dest/fixtures/profiles/"
cp -R controller/{README.md,chart,config} "$dest/controller/"
cp -R LICENSE README.md docs "$dest/"

#!/usr/bin/env bash
# Makes the images of a release from its archives for Linux, as REGISTRY/NAME:VERSION-ARCH, and lists them:
#
#     release/images.sh VERSION FOLDER REGISTRY ARCH...
#
# Nothing is pulled. DOCKER names another program than docker.
set -euo pipefail

usage="usage: $0 VERSION FOLDER REGISTRY ARCH..."
version=${1:?$usage} folder=${2:?$usage} registry=${3:?$usage}
shift 3
[ $# -gt 0 ] || { echo "$usage" >&2; exit 2; }
folder=$(cd "$folder" && pwd)
cd "$(dirname "$0")/.."
export CGO_ENABLED=0 GOWORK=off
work=$(mktemp -d "${TMPDIR:-/tmp}/images.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build() { "${DOCKER:-docker}" build --quiet "$@" >&2; }
for arch; do
	name=reconform-$version-linux-$arch
	mkdir "$work/controller" "$work/pods"
	tar -xzf "$folder/$name.tar.gz" -C "$work"

	cp "$work/$name/bin/manager" "$work/controller/"
	build --platform "linux/$arch" --file controller/Dockerfile --target prebuilt \
		--tag "$registry/webapp-controller:$version-$arch" "$work/controller"

	GOOS=linux GOARCH=$arch go build -buildvcs=false -ldflags "-s -w" -o "$work/pods/" ./fixtures/images/... ./cmd/relay
	build --platform "linux/$arch" --file fixtures/images/Dockerfile \
		--tag "$registry/reconform-pod:$version-$arch" "$work/pods"

	release/image.sh "$work/$name" "$registry/reconform:$version-$arch" --platform "linux/$arch" >&2
	for image in webapp-controller reconform-pod reconform; do echo "$registry/$image:$version-$arch"; done
	rm -rf "${work:?}"/*
done

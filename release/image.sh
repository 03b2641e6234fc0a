#!/usr/bin/env bash
# Makes the image of the whole suite from the tree of a release for Linux:
#
#     release/image.sh TREE IMAGE [OPTION OF DOCKER BUILD...]
#
# Nothing is pulled. DOCKER names another program than docker.
set -euo pipefail

tree=${1:?usage: $0 TREE IMAGE [OPTION...]} image=${2:?usage: $0 TREE IMAGE [OPTION...]}
shift 2
context=$(mktemp -d "${TMPDIR:-/tmp}/image.XXXXXX")
trap 'rm -rf "$context"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir "$context"/{etc,run,tmp,var,work}
chmod 1777 "$context"/{tmp,work} # whoever it runs as
# What a system has, and a subject in namespaces of its own gets another of.
ln -s ../run "$context/var/run"
echo 'nonroot:x:65532:65532::/tmp:/sbin/nologin' >"$context/etc/passwd"
echo 'nonroot:x:65532:' >"$context/etc/group"
cp -R "$tree" "$context/reconform"
"${DOCKER:-docker}" build --quiet --file "$(dirname "$0")/Dockerfile" --tag "$image" "$@" "$context"

#!/usr/bin/env bash
# Makes the files of a release, for each of the platforms:
#
#     release/build.sh VERSION FOLDER OS/ARCH...
#
# An archive with the tree of release/tree.sh, one with the control plane of each other version of Kubernetes, the bill of
# materials of each (CycloneDX), and SHA256SUMS over all that the folder holds. The same sources and the same Go give the
# same archives, if GOFLAGS has -trimpath.
set -euo pipefail

usage="usage: $0 VERSION FOLDER OS/ARCH..."
version=${1:?$usage} folder=${2:?$usage}
shift 2
[ $# -gt 0 ] || { echo "$usage" >&2; exit 2; }
if ! tar --version 2>/dev/null | grep -q GNU; then
	echo "needs GNU tar on the PATH: only that writes the same archive twice" >&2
	exit 1
fi
export GOWORK=off
repository=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# All files are as old as the sources.
age=$(git -C "$repository" log -1 --format=%ct 2>/dev/null || echo 0)
trees=$(mktemp -d "$folder/.trees.XXXXXX")
trap 'rm -rf "$trees"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# pack NAME PROGRAM...: makes the archive and the bill of materials of the tree NAME.
pack() {
	local name=$1
	shift
	"$trees/sbom" -name "$name" -version "$version" "$@" >"$trees/sbom.json"
	tar --sort=name --mtime="@$age" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
		-C "$trees" -cf - "$name" | gzip -9n >"$trees/archive"
	mv "$trees/archive" "$folder/$name.tar.gz"
	mv "$trees/sbom.json" "$folder/$name.cdx.json"
	rm -rf "${trees:?}/$name"
}

go -C "$repository/tools" build -o "$trees/sbom" ./sbom
others=$(sed -n 's/^	k8s.io\/kubernetes //p' "$repository"/envtest/assets/kubernetes-*.mod)
for platform; do
	export GOOS=${platform%/*} GOARCH=${platform#*/}
	name=reconform-$version-$GOOS-$GOARCH
	echo "making $name" >&2
	"$repository/release/tree.sh" "$version" "$trees/$name"
	pack "$name" "$trees/$name"/bin/{reconform,manager,shard} "$trees/$name"/bin/k8s/*/{k8s,kwok}
	for kubernetes in $others; do
		name=kubernetes-$kubernetes-$GOOS-$GOARCH
		echo "making $name" >&2
		built=$repository/bin/k8s/$GOOS-$GOARCH/$kubernetes
		"$repository/envtest/assets/build.sh" "$built"
		mkdir -p "$trees/$name/k8s"
		cp -R "$built" "$trees/$name/k8s/$kubernetes"
		pack "$name" "$trees/$name/k8s/$kubernetes"/{k8s,kwok}
	done
done
unset GOOS GOARCH
cd "$folder"
if command -v sha256sum >/dev/null; then sum=(sha256sum); else sum=(shasum -a 256); fi
files=$(ls | grep -v '^SHA256SUMS$')
"${sum[@]}" $files >.sums
mv .sums SHA256SUMS
echo "in $folder:" >&2
cat SHA256SUMS >&2

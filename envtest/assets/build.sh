#!/usr/bin/env bash
# Builds etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl and kwok into the folder given. The name
# of the folder says which version of Kubernetes:
#
#     envtest/assets/build.sh bin/k8s/v1.37.2
#
# The sources are those that go.mod pins, or, for another minor version, kubernetes-MINOR.mod. kwok does not depend on
# the version, and is always that of go.mod.
#
# One limit of client-go is lifted, for the reason in docs/cluster.md: the queue of a controller lets ten retries a second
# pass, for all objects together.
#
# Does nothing where the folder is up to date, or was unpacked from a release that was built from the same sources. The
# folder gets whole files only, its stamp last. GOOS and GOARCH choose another platform than this one.
set -euo pipefail

dest=${1:?usage: $0 FOLDER}
src=$(cd "$(dirname "$0")" && pwd)
version=$(basename "$dest")
mod=$(cd "$src" && grep -l "^	k8s.io/kubernetes $version$" *.mod) || {
	echo "no Kubernetes $version here: $(cd "$src" && sed -n 's/^	k8s.io\/kubernetes //p' *.mod | xargs)" >&2
	exit 2
}
links="etcd kube-apiserver kube-controller-manager kube-scheduler kubectl"
kwok=sigs.k8s.io/kwok/cmd/kwok
export CGO_ENABLED=0 GOWORK=off

# What the binaries are made of: the version of Go, and then the rest.
stamp="$(go env GOVERSION) $(go env GOOS)/$(go env GOARCH) $(cd "$src" && cat go.mod go.sum "$mod" "${mod%.mod}.sum" build.sh k8s/*.go k8s/heap/*.go | cksum)"
up_to_date() {
	local present
	present=$(cat "$dest/.stamp" 2>/dev/null) || return 1
	if [ -e "$dest/.unpacked" ]; then
		# Another version of Go is no reason to build what somebody has fetched in order not to build it.
		[ "${present#* }" = "${stamp#* }" ] || return 1
	else
		[ "$present" = "$stamp" ] || return 1
	fi
	for name in k8s kwok $links; do [ -x "$dest/$name" ] || return 1; done
}
up_to_date && exit 0

mkdir -p "$dest"
dest=$(cd "$dest" && pwd)
tmp=$(mktemp -d "$(dirname "$dest")/.build.XXXXXX")
build=
trap 'status=$?; if [ -n "$build" ]; then kill "$build" 2>/dev/null || true; fi; rm -rf "$tmp"; exit $status' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

terminal=false
if [ -t 2 ]; then terminal=true; fi
shown=0
# progress TEXT: one live line on a terminal, elsewhere a plain line every 15 seconds.
progress() {
	if $terminal; then
		printf '\r  %s\033[K' "$1" >&2
	elif [ $((SECONDS - shown)) -ge 15 ]; then
		printf '  %s\n' "$1" >&2
		shown=$SECONDS
	fi
}
elapsed() { printf '%d:%02d' $((SECONDS / 60)) $((SECONDS % 60)); }

# follow PID FUNCTION: shows what FUNCTION prints until the process ends, and returns the status of the process.
follow() {
	build=$1
	while kill -0 "$build" 2>/dev/null; do
		progress "$("$2") ($(elapsed))"
		sleep 1
	done
	local status=0
	wait "$build" || status=$?
	build=
	if $terminal; then printf '\r\033[K' >&2; fi
	return $status
}

echo "Building the Kubernetes $version control plane into $1. With a cold build cache this takes 7 to 10 minutes on two cores." >&2

# unlimited makes a copy of client-go without that limit, and a file $tmp/go.mod that replaces client-go by it. The pauses
# between the retries of one object stay.
unlimited() {
	local sources file limit='rate.NewLimiter(rate.Limit(10), 100)'
	sources=$(cd "$src" && go list -modfile="$mod" -f '{{.Module.Dir}}' k8s.io/client-go/util/workqueue 2>>"$tmp/list.log") || {
		cat "$tmp/list.log" >&2
		exit 1
	}
	cp -R "$sources" "$tmp/client-go"
	chmod -R u+w "$tmp/client-go"
	file=$tmp/client-go/util/workqueue/default_rate_limiters.go
	grep -qF "$limit" "$file" || { echo "$file lacks $limit, which $0 replaces" >&2; exit 1; }
	sed -i.bak "s/$limit/rate.NewLimiter(rate.Inf, 0)/" "$file"
	cp "$src/$mod" "$tmp/go.mod"
	cp "$src/${mod%.mod}.sum" "$tmp/go.sum"
	go mod edit -replace "k8s.io/client-go=$tmp/client-go" "$tmp/go.mod"
}

downloads() { echo "modules fetched: $(grep -c '^go: downloading' "$tmp/list.log" || true)"; }
# stale MODFILE PACKAGE: adds what must be compiled for the package to the list.
stale() {
	(cd "$src" && exec go list -modfile="$1" -trimpath -deps -f '{{if .Stale}}{{.ImportPath}}{{end}}' "$2") >>"$tmp/stale" 2>>"$tmp/list.log" &
	follow $! downloads || { cat "$tmp/list.log" >&2; exit 1; }
}
unlimited
stale "$tmp/go.mod" ./k8s
stale go.mod $kwok

total=$(grep -c . "$tmp/stale" || true)
compiled() {
	# The build prints each package as it begins to compile it.
	local done
	done=$(grep -c '^[^# ]*$' "$tmp/build.log" || true)
	if [ "$done" -ge "$total" ]; then echo "linking"; else echo "packages compiled: $done of $total"; fi
}
flags="-s -w"
major=${version#v} major=${major%%.*} minor=${version#v*.} minor=${minor%%.*}
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
	flags="$flags -X $package.gitVersion=$version -X $package.gitMajor=$major -X $package.gitMinor=$minor"
done
mkdir "$tmp/bin"
compile() {
	(cd "$src" && exec go build -v -modfile="$1" -trimpath -buildvcs=false -ldflags "$flags" -o "$tmp/bin/" "$2") >>"$tmp/build.log" 2>&1 &
	follow $! compiled || { grep -v '^[^# ]*$' "$tmp/build.log" >&2 || true; echo "the build failed" >&2; exit 1; }
}
compile "$tmp/go.mod" ./k8s
compile go.mod $kwok

for name in $links; do ln -s k8s "$tmp/bin/$name"; done
rm -f "$dest/.stamp" "$dest/.unpacked"
for name in k8s kwok $links; do mv -f "$tmp/bin/$name" "$dest/$name"; done
echo "$stamp" >"$dest/.stamp"
echo "Built in $(elapsed)." >&2

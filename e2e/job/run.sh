#!/usr/bin/env bash
# Judges a controller by an Indexed Job on a cluster, and makes one verdict of the reports of its Pods:
#
#     e2e/job/run.sh [-n SHARDS] [-i IMAGE] [-k FOLDER] [-s NAMESPACE] [-t SECONDS] [-p] REPORTS [-- ARGUMENT OF reconform run...]
#
#     -n  Pods, and shards (3)
#     -i  image of the suite with the controller (that of the kustomization)
#     -k  folder with a kustomization of the Job (restricted; namespaces beside it needs a seccomp profile on the nodes)
#     -s  namespace of its own, so that several can run (reconform); it is deleted in the end
#     -t  seconds until the Job is given up (1800)
#     -p  keep the namespace with the Job and its Pods
#
# KUBECTL and RECONFORM name other programs than kubectl and reconform. The exit status is that of `reconform merge`,
# and 3 where it does not get that far.
set -Eeuo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
shards=3 image= overlay=$here/restricted limit=1800 namespace=reconform keep=
usage() { sed -n '/^#     e2e/,/^set -/{/^set -/d; s/^#//; p;}' "${BASH_SOURCE[0]}" >&2; exit 2; }
while getopts n:i:k:s:t:p option; do
	case $option in
	n) shards=$OPTARG ;;
	i) image=$OPTARG ;;
	k) overlay=$(cd "$OPTARG" && pwd -P) ;;
	s) namespace=$OPTARG ;;
	t) limit=$OPTARG ;;
	p) keep=yes ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -ge 1 ] && [[ $shards =~ ^[1-9][0-9]*$ ]] && [[ $limit =~ ^[1-9][0-9]*$ ]] || usage
reports=$1
shift
[ "${1:-}" = -- ] && shift
kubectl=${KUBECTL:-kubectl} reconform=${RECONFORM:-reconform}

work=$(cd "$(mktemp -d)" && pwd -P)
trap 'rm -rf "$work"' EXIT
trap 'exit 3' ERR
trap 'exit 130' INT
trap 'exit 143' TERM

# The Job with as many completions as shards, these arguments, and the image.
quoted() { printf '"%s"' "$(printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g')"; }
args="\"-of=$shards\", \"-report-dir=/reports\", \"--\""
for argument; do args+=", $(quoted "$argument")"; done
{
	cat <<EOF
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: $(quoted "$namespace")
resources:
- $(printf '%s' "$work" | sed 's|/[^/]*|../|g')${overlay#/}
patches:
- target: {kind: Job, name: reconform}
  patch: |
    - {op: replace, path: /spec/completions, value: $shards}
    - {op: replace, path: /spec/parallelism, value: $shards}
    - {op: replace, path: /spec/template/spec/containers/0/args, value: [$args]}
EOF
	if [ -n "$image" ]; then
		echo "    - {op: replace, path: /spec/template/spec/containers/0/image, value: $(quoted "$image")}"
	fi
} >"$work/kustomization.yaml"
"$kubectl" delete job reconform --namespace "$namespace" --ignore-not-found
"$kubectl" apply -k "$work"

# The reports are in the Pods' logs: those of a Pod that has ended stay until it is deleted.
in_job() { "$kubectl" --namespace "$namespace" "$@"; }
began=$SECONDS
while state=$(in_job get job reconform --output 'jsonpath={.status.conditions[?(@.status=="True")].type}'); do
	case " $state " in *" Complete "* | *" Failed "*) break ;; esac
	if [ $((SECONDS - began)) -ge "$limit" ]; then
		echo "the Job has not ended within $limit s" >&2
		break
	fi
	sleep 2
done
echo "the Pods took $((SECONDS - began)) s" >&2

# One folder for each Pod that has handed reports over. Where a shard has none, the verdict is inconclusive.
collect() { # POD FOLDER
	in_job logs "$1" >"$work/log" || return 1
	# The last block: whatever stands before it is text of the run.
	awk '/^-----BEGIN RECONFORM REPORTS-----$/ { block = "" } { block = block $0 "\n" } END { printf "%s", block }' "$work/log" >"$work/block"
	[ "$(head -n 1 "$work/block")" = "-----BEGIN RECONFORM REPORTS-----" ] || return 1
	[ "$(tail -n 1 "$work/block")" = "-----END RECONFORM REPORTS-----" ] || return 1
	mkdir -p "$2"
	sed '1d; $d' "$work/block" | base64 --decode | tar --extract --gzip --no-same-owner --directory "$2"
}
mkdir -p "$reports"
rm -rf "${reports:?}/pods"
folders=()
for pod in $(in_job get pods --selector job-name=reconform --output 'jsonpath={.items[*].metadata.name}'); do
	if collect "$pod" "$reports/pods/$pod"; then
		folders+=("$reports/pods/$pod")
	else
		echo "$pod has handed over no reports; the end of its log:" >&2
		in_job logs "$pod" --tail 5 >&2 || true
		rm -rf "${reports:?}/pods/$pod"
	fi
done
if [ -z "$keep" ]; then
	"$kubectl" delete -k "$work" >&2
fi
if [ ${#folders[@]} -eq 0 ]; then
	echo "no Pod has handed over its reports" >&2
	exit 3
fi
status=0
"$reconform" merge --report-dir "$reports/merged" "${folders[@]}" || status=$?
exit $status

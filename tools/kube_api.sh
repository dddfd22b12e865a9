#!/usr/bin/env bash
# Makes a real kube-apiserver of Kubernetes' own Go modules, and Debian's etcd, in build/kube-api: what `convoy launch --engine
# kubernetes` submits is then held against the API's own code (tests/e2e/test_kube_api.py). Ten minutes on two cores, 1 GB.
#
#   tools/kube_api.sh [VERSION]        1.34.1
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
version=${1:-1.34.1}
folder=$root/build/kube-api
for tool in go apt-get dpkg-deb; do
  command -v $tool >/dev/null || { echo "kube_api: $tool is missing"; exit 1; }
done
mkdir -p "$folder"
cd "$folder"
if [ ! -x etcd ]; then
  apt-get download -qq etcd-server  # not installed: it would start a service
  dpkg-deb -x etcd-server_*.deb unpacked
  mv unpacked/usr/bin/etcd etcd
  rm -r unpacked etcd-server_*.deb
fi
[ ! -x "kube-apiserver-$version" ] || exit 0
# Its module replaces these with folders that only its repository has; each is published under a number of its own.
parts="api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap code-generator
  component-base component-helpers controller-manager cri-api cri-client csi-translation-lib dynamic-resource-allocation
  endpointslice externaljwt kms kube-aggregator kube-controller-manager kube-proxy kube-scheduler kubectl kubelet metrics
  mount-utils pod-security-admission sample-apiserver"
{
  printf 'module kubeapi\n\ngo 1.24\n\nrequire k8s.io/kubernetes v%s\n\nreplace (\n' "$version"
  for part in $parts; do printf '\tk8s.io/%s => k8s.io/%s v0.%s\n' "$part" "$part" "${version#1.}"; done
  printf ')\n'
} >go.mod
printf '//go:build tools\n\npackage kubeapi\n\nimport _ "k8s.io/kubernetes/cmd/kube-apiserver"\n' >tools.go
go mod tidy
at=k8s.io/component-base/version
go build -p "${JOBS:-$(nproc)}" -ldflags "-s -w -X $at.gitVersion=v$version -X $at.gitMajor=1 -X $at.gitMinor=$(echo "$version" | cut -d. -f2)" \
  -o "kube-apiserver-$version" k8s.io/kubernetes/cmd/kube-apiserver

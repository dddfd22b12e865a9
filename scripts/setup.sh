#!/bin/sh
# Installs the Debian packages that this project needs; quick when all are there. Works as root or with sudo.
set -eu

packages="
  g++ cmake ninja-build pkg-config ca-certificates
  python3 python3-venv iproute2
  libprotobuf-dev protobuf-compiler
  libyaml-cpp-dev libeigen3-dev libnanoflann-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  libxxhash-dev libexpected-dev libboost-dev libboost-context-dev libssl-dev
  libzstd-dev liblz4-dev libpng-dev libtinyxml2-dev libassimp-dev libre2-dev
  libzmq3-dev libfastrtps-dev libembree-dev libegl-dev libgl-dev libvpx-dev
  doctest-dev libwebm-dev libmpfr-dev libgmp-dev libbenchmark-dev
"
# Of nodes of ROS and the door to ROS 2. Ubuntu lacks some of them, and builds without.
ros="python3-rosidl python3-ament-index python3-empy rosidl-generator-c-cpp
  librosidl-runtime-c-cpp-dev librosidl-typesupport-introspection-c-cpp-dev librcutils-dev
  ament-cmake pluginlib-dev libclass-loader-dev"
# Of video for browsers (convoy viewer): without them all else is built.
video="libgstreamer1.0-dev libgstreamer-plugins-base1.0-dev libgstreamer-plugins-bad1.0-dev gstreamer1.0-plugins-base
  gstreamer1.0-plugins-good gstreamer1.0-plugins-bad gstreamer1.0-nice libegl1 libgl1-mesa-dri"
# Of the tests of the page: a browser that draws without a graphics card, and what makes certificates. Of those of ROS 2:
# the other middleware, for a peer that is not of the one that this project uses, and Python's headers, for messages that
# real rclpy is to know and no wheel has. Of those of video: a relay (TURN). Of those of clusters: Slurm.
tests="python3-dev slurmctld slurmd slurm-client munge coturn chromium libegl1 libgl1-mesa-dri fonts-dejavu-core openssl cyclonedds-dev groff-base"
# Of scripts/deep.sh alone.
deep="kubernetes-client curl clang libclang-rt-dev g++-aarch64-linux-gnu qemu-user-static debootstrap buildah"
# Of making Debian packages.
packing="dpkg-dev file"

if [ "${1:-}" = --deep ]; then
  packages="$packages $video $packing $tests $deep"
elif [ "${1:-}" = --tests ]; then
  packages="$packages $video $packing $tests"
elif [ "${1:-}" = --packages ]; then
  packages="$packages $video $packing"
elif [ "${1:-}" = --video ]; then
  packages="$packages $video"
elif [ $# -gt 0 ]; then
  echo "usage: scripts/setup.sh [--video | --packages | --tests | --deep]" >&2
  exit 2
fi

packages="$packages $ros"

# One kubectl is as good as another, and Debian's does not install beside that of Google's package.
has_kubectl=$(command -v kubectl || true)

missing_of() {
  for package in $packages; do
    [ "$package" = kubernetes-client ] && [ -n "$has_kubectl" ] && continue
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || printf ' %s' "$package"
  done
}

command -v dpkg-query >/dev/null || {
  echo "setup: this script knows Debian and Ubuntu only; the packages are named in it" >&2
  exit 1
}
missing=$(missing_of)
if [ -z "$missing" ]; then
  echo "setup: all packages are installed"
  exit 0
fi

as_root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || {
    echo "setup: missing$missing; installing them needs root or sudo" >&2
    exit 1
  }
  as_root=sudo
fi
echo "setup: installing$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The lists may be there already, and an update may fail for a source that does not matter: installing decides.
$as_root apt-get update -qq >"$log" 2>&1 || echo "setup: apt-get update failed; trying with the lists that are here" >&2
for package in $ros; do
  apt-cache show "$package" >/dev/null 2>&1 && continue
  echo "setup: this system has no $package: it builds without nodes of ROS and the door to ROS 2"
  keep="" ros=$(echo $ros)  # in one line
  for other in $packages; do
    case " $ros " in *" $other "*) ;; *) keep="$keep $other" ;; esac
  done
  packages=$keep
  missing=$(missing_of)
  break
done
# shellcheck disable=SC2086  # a list of words
if [ -n "$missing" ] && ! $as_root apt-get install -y -qq --no-install-recommends $missing >>"$log" 2>&1; then
  tail -n 15 "$log" >&2
  echo "setup: could not install; still missing:$(missing_of)" >&2
  exit 1
fi
missing=$(missing_of)
if [ -n "$missing" ]; then
  echo "setup: apt-get reported success, and yet these are missing:$missing" >&2
  exit 1
fi
echo "setup: done"

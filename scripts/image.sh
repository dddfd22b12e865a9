#!/usr/bin/env bash
# Makes a container image of the Debian package: from nothing, filled by debootstrap, without a base image from a registry.
#
#   scripts/image.sh                    as root; needs build/packages/convoy_*.deb (scripts/packages.sh)
#   IMAGE=NAME  ARCHIVE=F.tar           default: localhost/convoy:VERSION, build/packages/convoy-VERSION.oci.tar
#
# buildah's driver vfs and its isolation chroot work where no container engine starts: inside another container, say.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
[ "$(id -u)" = 0 ] || { echo "image: needs root, for debootstrap" >&2; exit 1; }
for tool in buildah debootstrap; do
  command -v $tool >/dev/null || { echo "image: $tool is missing: apt install $tool" >&2; exit 1; }
done
deb=$(ls build/packages/convoy_*.deb 2>/dev/null) || { echo "image: no build/packages/convoy_*.deb: scripts/packages.sh makes it" >&2; exit 1; }
version=$(dpkg-deb -f "$deb" Version)
image=${IMAGE:-localhost/convoy:$version}
archive=${ARCHIVE:-build/packages/convoy-$version.oci.tar}
export STORAGE_DRIVER=vfs
mirror=$(awk '/^URIs/{print $2; exit}' /etc/apt/sources.list.d/debian.sources 2>/dev/null || true)
container=$(buildah from scratch)
trap 'buildah rm "$container" >/dev/null' EXIT
there=$(buildah mount "$container")
debootstrap --variant=minbase bookworm "$there" ${mirror:+"$mirror"}
cp "$deb" "$there/convoy.deb"
[ -e /etc/apt/sources.list.d/debian.sources ] && cp /etc/apt/sources.list.d/debian.sources "$there/etc/apt/sources.list.d/" && rm -f "$there/etc/apt/sources.list"
# What this machine needs to reach Debian stays out of the image.
for file in /etc/apt/apt.conf.d/99*; do [ -e "$file" ] && cp "$file" "$there/etc/apt/apt.conf.d/zz-building-$(basename "$file")"; done
cp /etc/resolv.conf /etc/hosts "$there/etc/"
buildah run --isolation chroot "$container" -- sh -ec '
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /convoy.deb libegl1 libgl1-mesa-dri ca-certificates
  apt-get clean
  rm -rf /convoy.deb /var/lib/apt/lists/* /etc/apt/apt.conf.d/zz-building-* /var/cache/debconf/* /usr/share/doc/*/changelog* /usr/share/man /usr/share/locale'
: >"$there/etc/resolv.conf"
# Sources for apt are for who builds on it to choose.
rm -f "$there/etc/apt/sources.list.d/debian.sources" "$there/etc/apt/sources.list" "$there/etc/hosts"
buildah config --entrypoint '["convoy"]' --cmd version --workingdir /work --label "org.opencontainers.image.title=convoy" \
  --label "org.opencontainers.image.version=$version" --label "org.opencontainers.image.licenses=Apache-2.0" "$container"
mkdir -p "$there/work"
buildah unmount "$container" >/dev/null
buildah commit --quiet "$container" "$image" >/dev/null
rm -f "$archive"
buildah push --quiet "$image" "oci-archive:$archive:$image"
echo "image: $image, $(du -h "$archive" | cut -f1) as $archive"

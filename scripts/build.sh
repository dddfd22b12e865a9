#!/bin/sh
# Configures and builds into build/ (Release, Ninja).
#
#   scripts/build.sh [TARGET...]       default: everything
#   BUILD_DIR=DIR  CMAKE_ARGS='-D...'  JOBS=N   another folder, more options, another number of jobs
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$root/build}

# A compiler takes up to 1.4 GB here: as many jobs as cores, and as memory allows.
jobs() {
  cores=$(nproc)
  fit=$(awk '/^MemAvailable/ {print int($2 / 1468006)}' /proc/meminfo)
  [ "$fit" -ge 1 ] || fit=1
  [ "$cores" -le "$fit" ] && echo "$cores" || echo "$fit"
}

case "${CMAKE_ARGS:-}" in
  *CONVOY_MUJOCO=OFF* | *MUJOCO_DIR=*) ;;
  *) [ -n "${MUJOCO_DIR:-}" ] || "$root/scripts/python-env.sh" mujoco ;;
esac
case "${CMAKE_ARGS:-}" in
  *CONVOY_WEB=OFF* | *CONVOY_PAGE=OFF*) ;;
  *) "$root/scripts/python-env.sh" web ;;
esac
# shellcheck disable=SC2086  # lists of words
cmake -S "$root" -B "$build" -G Ninja ${CMAKE_ARGS:-}
exec cmake --build "$build" --parallel "${JOBS:-$(jobs)}" ${1:+--target} "$@"

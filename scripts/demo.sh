#!/bin/sh
# The demo: 200 robots in a warehouse, simulated by two robot clients and a server as processes of this machine.
#
#   scripts/demo.sh [option of convoy launch]...      such as --hosts 4, --duration 10s, --speed 1
#   scripts/demo.sh --web --duration 10m    to be seen in a browser: it prints a link
#   scripts/demo.sh --viewer --duration 10m   the same as live video (docs/viewer.md)
#   scripts/demo.sh --ros2 --duration 10m   to be met from ROS 2 (docs/ros2.md)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
page=-DCONVOY_PAGE=OFF ros2=-DCONVOY_ROS2=OFF stream=-DCONVOY_STREAM=OFF video="" targets="convoy maps"
for option in "$@"; do
  if [ "$option" = --web ]; then page=-DCONVOY_PAGE=ON targets="$targets page"; fi
  if [ "$option" = --viewer ]; then page=-DCONVOY_PAGE=ON stream=-DCONVOY_STREAM=ON video=--video targets="$targets page"; fi
  if [ "$option" = --ros2 ]; then ros2=-DCONVOY_ROS2=ON; fi
done
# shellcheck disable=SC2086  # a list of words
scripts/setup.sh $video
echo "demo: building"
# shellcheck disable=SC2086  # a list of words
CMAKE_ARGS="-DBUILD_TESTING=OFF $page $ros2 $stream ${CMAKE_ARGS:-}" BUILD_DIR=${BUILD_DIR:-build} scripts/build.sh $targets
build=${BUILD_DIR:-build}
echo "demo: $build/convoy launch scenarios/warehouse.yaml --hosts 2 $*"
exec "$build/convoy" launch scenarios/warehouse.yaml --hosts 2 "$@"

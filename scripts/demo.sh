#!/bin/sh
# The demo: 200 robots in a warehouse, simulated by two robot clients and a server as processes of this machine.
#
#   scripts/demo.sh [option of convoy launch]...      such as --hosts 4, --duration 10s, --speed 1
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
scripts/setup.sh
echo "demo: building"
CMAKE_ARGS="-DBUILD_TESTING=OFF ${CMAKE_ARGS:-}" BUILD_DIR=${BUILD_DIR:-build} scripts/build.sh convoy maps
build=${BUILD_DIR:-build}
echo "demo: $build/convoy launch scenarios/warehouse.yaml --hosts 2 $*"
exec "$build/convoy" launch scenarios/warehouse.yaml --hosts 2 "$@"

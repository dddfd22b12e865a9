#!/usr/bin/env bash
# Builds everything and makes the Debian packages convoy, convoy-dev and python3-convoy of it, in build/packages/.
#
#   scripts/packages.sh                 then, as root: apt install ./build/packages/*.deb
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
scripts/setup.sh --packages
CMAKE_ARGS="-DCONVOY_ROS2=ON -DCONVOY_STREAM=ON -DCONVOY_PAGE=ON ${CMAKE_ARGS:-}" scripts/build.sh
rm -rf build/packages
(cd build && cpack -G DEB)
rm -rf build/packages/_CPack_Packages
ls -l build/packages

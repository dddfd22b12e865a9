#!/usr/bin/env bash
# Builds the Python wheel convoy-sim, which carries the command, in BUILD/wheels/.
#
#   scripts/wheel.sh                    then: pip install build/wheel/wheels/convoy_sim-*.whl
#   BUILD_DIR=DIR                       another folder of the build
#
# Without video for browsers: GStreamer's plugins are the system's, and would meet another GLib than the wheel's.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
build=${BUILD_DIR:-build/wheel}
scripts/setup.sh
scripts/python-env.sh wheel
BUILD_DIR=$build CMAKE_ARGS="-DCONVOY_ROS2=ON -DCONVOY_STREAM=OFF -DCONVOY_PAGE=ON -DBUILD_TESTING=OFF -DCONVOY_BENCH=OFF ${CMAKE_ARGS:-}" scripts/build.sh
.env/wheel/bin/python tools/make_wheel.py "$build"

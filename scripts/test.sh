#!/bin/sh
# Builds everything and runs all tests; the last lines are CTest's.
#
#   scripts/test.sh            all
#   scripts/test.sh --quick    without what takes minutes (label slow)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
quick=
case "${1:-}" in
  '') ;;
  --quick) quick='-LE slow' ;;
  *) echo "usage: scripts/test.sh [--quick]" >&2; exit 2 ;;
esac
build=${BUILD_DIR:-build}
scripts/setup.sh
scripts/python-env.sh
scripts/python-env.sh lint
CMAKE_ARGS="-DBUILD_TESTING=ON -DCONVOY_WERROR=ON ${CMAKE_ARGS:-}" BUILD_DIR=$build scripts/build.sh
# One at a time for those that start processes and take time; CTest knows which (RUN_SERIAL).
# shellcheck disable=SC2086  # a list of words
exec ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" $quick ${CTEST_ARGS:-}

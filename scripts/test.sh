#!/bin/sh
# Builds everything and runs all tests; the last lines are CTest's.
#
#   scripts/test.sh                 all
#   scripts/test.sh --quick         without what takes minutes (label slow)
#   scripts/test.sh --second-try    for CI, on a machine that others may use: what starts real processes and waits for real
#                                   time (label processes) may fail once; which did is in BUILD/second_tries, a name a line
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
quick=
second_try=
case "${1:-}" in
  '') ;;
  --quick) quick='-LE slow' ;;
  --second-try) second_try=1 ;;
  *) echo "usage: scripts/test.sh [--quick | --second-try]" >&2; exit 2 ;;
esac
build=${BUILD_DIR:-build}
scripts/setup.sh --tests
scripts/python-env.sh
scripts/python-env.sh browser
scripts/python-env.sh kubernetes
scripts/python-env.sh lint
scripts/python-env.sh ros
scripts/python-env.sh ray
CMAKE_ARGS="-DBUILD_TESTING=ON -DCONVOY_WERROR=ON -DCONVOY_ROS2=ON -DCONVOY_STREAM=ON ${CMAKE_ARGS:-}" BUILD_DIR=$build scripts/build.sh
tests() {
  # shellcheck disable=SC2086  # a list of words
  ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "$@" ${CTEST_ARGS:-}
}

if [ -z "$second_try" ]; then
  # shellcheck disable=SC2086  # a list of words
  tests $quick
  exit
fi
failed=0
# Without clang-tidy, which takes as long as a third of the tests, and without the compiler's word on one more kind of edit,
# which takes three minutes: scripts/deep.sh tidy does both.
tests --label-exclude processes --exclude-regex '^(lint/cxx|compile_fail/one_more_kind)$' || failed=1
log=$build/Testing/Temporary/processes.log
mkdir -p "$(dirname "$log")"
tests --label-regex processes --repeat until-pass:2 --output-log "$log" || failed=1
# CTest prints of each test when it starts it: twice of those that failed at first.
sed -n 's/^ *Start *[0-9]*: //p' "$log" | sort | uniq -d >"$build/second_tries"
exit $failed

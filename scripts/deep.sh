#!/usr/bin/env bash
# What takes longer than scripts/test.sh: other compilers and levels, sanitizers, seeds, fresh systems. Hours on two cores;
# any part can be run by itself. Goes on after a part that fails; the summary at the end names each, and the exit code is 1
# if any failed.
#
#   scripts/deep.sh                 all parts
#   scripts/deep.sh clang seeds     only these
#   parts: clang debug dev tsan asan tidy digests probe rays seeds nodes network stops page msgs kilted odometry
#          mujoco packages wheel image kube_api mutants fuzz fresh_demo fresh_test
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
all=(clang debug dev tsan asan tidy digests probe rays seeds nodes network stops page msgs kilted odometry mujoco packages wheel image kube_api mutants fuzz fresh_demo fresh_test)
jobs=${JOBS:-$(nproc)}
fresh=${CONVOY_FRESH_SYSTEM:-}  # a command that runs its argument in a fresh system that holds a clone of this project

need() {
  for tool in "$@"; do
    command -v "$tool" >/dev/null || { echo "deep: $tool is missing; scripts/setup.sh --deep installs it"; exit 1; }
  done
}

# FOLDER, then cmake's options: configured, and built whole unless TARGETS names less.
build() {
  local folder=$1
  shift
  cmake -S . -B "build/$folder" -G Ninja -DCONVOY_LINT=OFF "$@"
  # shellcheck disable=SC2086  # a list of words
  cmake --build "build/$folder" --parallel "$jobs" ${TARGETS:+--target $TARGETS}
}

# The build that scripts/test.sh makes, of these targets.
main() {
  CMAKE_ARGS="-DBUILD_TESTING=ON -DCONVOY_WERROR=ON -DCONVOY_ROS2=ON -DCONVOY_STREAM=ON ${CMAKE_ARGS:-}" scripts/build.sh "$@"
}

tests() { ctest --test-dir "build/$1" --output-on-failure --parallel "$jobs" "${@:2}"; }

sanitized=(-DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-Og -g1" -DCONVOY_BENCH=OFF)

# Tests with real processes are those of scripts/test.sh; digests and nodes start processes of these builds, too.
part_clang() {
  need clang++
  build clang -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCONVOY_WERROR=ON
  tests clang --label-exclude processes
}
part_debug() {
  build debug -DCMAKE_BUILD_TYPE=Debug -DCONVOY_BENCH=OFF
  tests debug --label-exclude processes
}
# The preset of who edits has other flags than all the rest (at -O1, GCC 12 takes variables for uninitialized that are not).
part_dev() {
  cmake --preset dev -DCMAKE_UNITY_BUILD=ON
  cmake --build build/dev --parallel "$jobs"
}
# What has threads: os itself, MuJoCo's robots, ZeroMQ's publisher, the command with two threads a client, the server
# with handlers, and pages. libzmq is not built for it: the pages of its queues seem to be passed on without a word.
part_tsan() {
  TARGETS="os_test os_helper foreign_test physics_mujoco_test adapters_zmq_test convoy maps" build tsan "${sanitized[@]}" -DCONVOY_SANITIZE=thread
  echo 'race:libzmq.so' >build/tsan/suppressions
  TSAN_OPTIONS="halt_on_error=1 suppressions=$root/build/tsan/suppressions" tests tsan \
    --tests-regex '^(os|foreign|physics/mujoco|adapters/zmq|e2e/(digests|signals|ctl))$'
  scripts/python-env.sh
  TSAN_OPTIONS="halt_on_error=1" .env/python/bin/python tests/e2e/test_web.py build/tsan/convoy own looking leases encrypted recorded beside
}
part_asan() {
  build asan "${sanitized[@]}" -DCONVOY_SANITIZE=address,undefined
  # The sanitizer's own book of loaded libraries' thread-local storage goes wrong with this C library, and ends its search
  # for leaks with a fault. Fast DDS deletes some of its own objects as what they are derived from. It takes longer to begin
  # than the earliest signal of e2e/early waits. GLib leaves an array of its names behind whenever there are 2,048 more of
  # them, and its stacks end in its own g_malloc.
  echo 'leak:g_malloc' >build/asan/suppressions
  LSAN_OPTIONS="suppressions=$root/build/asan/suppressions:print_suppressions=0" UBSAN_OPTIONS=print_stacktrace=1 \
    ASAN_OPTIONS=intercept_tls_get_addr=0:new_delete_type_mismatch=0 tests asan --exclude-regex '^e2e/early$'
}
# One more kind of edit, input or journal entry is noticed by the compiler wherever it matters. And clang-tidy over every
# source by itself, so that none leans on another's includes, tests included, with the static analyzer: three quarters of an
# hour on two cores, and less when build/tidy remembers what was clean.
part_tidy() {
  scripts/python-env.sh lint
  cmake --preset tidy
  tools/lint.py cxx build/tidy --all
  /usr/bin/python3 tests/compile_fail/one_more_kind.py build/tidy
}
# One digest from every build, any number of hosts and threads, in one process and in several.
part_digests() {
  local seen=() folder hosts threads line command
  main convoy maps
  TARGETS="convoy maps" build debug -DCMAKE_BUILD_TYPE=Debug
  if command -v clang++ >/dev/null; then
    TARGETS="convoy maps" build clang -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
  fi
  for folder in . debug clang; do
    [ -x "build/$folder/convoy" ] || { echo "deep: build/$folder/convoy is missing"; exit 1; }
    for command in run launch; do
      for hosts in 1 2 4; do
        for threads in 1 2; do
          line=$("build/$folder/convoy" "$command" scenarios/warehouse.yaml --duration 5s --speed max --hosts $hosts \
            --threads $threads --log-level warn | tail -n 1)
          echo "$line  $folder $command --hosts $hosts --threads $threads"
          seen+=("$line")
        done
      done
    done
  done
  [ "$(printf '%s\n' "${seen[@]}" | sort -u | wc -l)" = 1 ] || { echo "deep: the digests differ"; exit 1; }
}
part_probe() { tools/probe_matrix.sh && tools/probe_matrix.sh --of nodes; }
# A hundred million rays with each instruction set that Embree may use here.
part_rays() {
  main ray_probe
  build/src/sensing/embree/ray_probe 100000000
}
part_seeds() {
  main convoy_seeds
  local kind
  for kind in lockstep free; do build/src/seeds/convoy_seeds --kind $kind --count 20000; done
  for kind in mujoco nodes; do build/src/seeds/convoy_seeds --kind $kind --count 5000; done
}
# The node graphs' benchmarks 100 times beside other work, their copies and cuts on hosts and threads, from every build.
part_nodes() {
  main convoy
  TARGETS="convoy" build debug -DCMAKE_BUILD_TYPE=Debug
  if command -v clang++ >/dev/null; then
    TARGETS="convoy" build clang -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
  fi
  local folder hosts threads load run
  for folder in . debug clang; do
    [ -x "build/$folder/convoy" ] || { echo "deep: build/$folder/convoy is missing"; exit 1; }
    "build/$folder/convoy" job --benchmark determinism
    "build/$folder/convoy" job --benchmark extended
    for hosts in 1 2 4; do
      for threads in 1 2 4; do
        "build/$folder/convoy" job --benchmark determinism --copies 8 --hosts $hosts --threads $threads >/dev/null
      done
      "build/$folder/convoy" job --benchmark determinism --cut 2 --copies 2 --hosts $hosts >/dev/null
    done
  done
  (while :; do :; done) &
  load=$!
  trap 'kill $load' EXIT
  for ((run = 0; run < 100; ++run)); do
    build/convoy job --benchmark determinism >/dev/null
    build/convoy job --benchmark extended >/dev/null
  done
  kill $load
  trap - EXIT
  echo "deep: all benchmarks of node graphs came to what they must, 100 times"
}
# Machines as network namespaces with packets lost between them (skipped where these may not be made: 77), and a server
# under a flood of garbage.
part_network() {
  main convoy maps bench_flood
  local code=0
  /usr/bin/python3 tests/e2e/test_cluster.py build/convoy || code=$?
  [ $code = 0 ] || { [ $code = 77 ] && echo "deep: no namespaces here: machines of their own were left out"; } || exit 1
  /usr/bin/python3 tests/e2e/test_flood.py build/convoy
}
# Servers and hosts that are stopped as a whole, as on a suspended machine.
part_stops() {
  main convoy
  STOPPED_S=7 /usr/bin/python3 tests/e2e/test_cli.py build/convoy stopped
  STOPPED_S=30 /usr/bin/python3 tests/e2e/test_cli.py build/convoy stopped
}
# Browsers that stand still for ten minutes, in both modes.
part_page() {
  main convoy
  scripts/python-env.sh
  CONVOY_E2E_STALL_S=600 .env/python/bin/python tests/e2e/test_web.py build/convoy slow
  scripts/python-env.sh browser
  CONVOY_E2E_STALL_S=600 .env/browser/bin/python tests/e2e/test_stream.py build/convoy stalled
}
# The interface packages against real ROS 2 Jazzy.
part_msgs() {
  scripts/python-env.sh ros
  main types_helper
  .env/ros/bin/python tools/ros_types.py build/ros-types
  PYTHONPATH=build/ros-types/python .env/ros/bin/python tools/check_msgs.py jazzy build/msgs/runtime/types_helper
}
# The door to ROS 2 beside real Kilted, as scripts/test.sh has it beside Jazzy.
part_kilted() {
  scripts/python-env.sh kilted
  main
  CONVOY_ROS=kilted ctest --test-dir build --output-on-failure --parallel "$jobs" --tests-regex '^e2e/ros2'
}
# A lidar's odometry: 100 runs of the whole drive, and copies on threads and hosts.
part_odometry() {
  main convoy convoy_components lidar_odometry
  .env/python/bin/python tests/e2e/test_odometry.py build/convoy build/examples/liblidar_odometry.so \
    --duration 40 --runs 100 --at-once "$jobs" --copies 8
}
# A MuJoCo of the user's own, the last 3.x, and none at all.
part_mujoco() {
  local env=.env/mujoco317
  if [ ! -x $env/bin/python ]; then
    /usr/bin/python3 -m venv $env
    $env/bin/python -m pip install --quiet --disable-pip-version-check --no-deps mujoco==3.17.0
  fi
  TARGETS="convoy maps physics_mujoco_test" build mujoco317 -DCONVOY_ROS=OFF \
    "-DMUJOCO_DIR=$(echo "$root"/$env/lib/python3*/site-packages/mujoco)"
  tests mujoco317 --tests-regex '^(physics/mujoco|e2e/mujoco)$'
  TARGETS="convoy" build no_mujoco -DCONVOY_MUJOCO=OFF -DCONVOY_ROS=OFF -DCONVOY_WERROR=ON
  build/no_mujoco/convoy check scenarios/hello.yaml
  if build/no_mujoco/convoy check scenarios/burgers.yaml; then exit 1; fi
}
# Bugs planted one at a time in a copy: each must be noticed by the test that it names.
# Each target for FUZZ_S seconds (60; 600 before what a decoder does is called done), from its sound inputs on.
part_fuzz() {
  need clang++
  local targets=(frames datagrams canonical states setup recording scenario map server model calls)
  local flags="-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined" target folder
  TARGETS=$(printf 'fuzz_%s ' "${targets[@]}") build libfuzzer -DCONVOY_FUZZ=ON \
    -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1" \
    "-DCMAKE_CXX_FLAGS=$flags" -DCONVOY_APPS=OFF -DCONVOY_BENCH=OFF -DCONVOY_ROS=OFF
  for target in "${targets[@]}"; do
    folder=build/libfuzzer/corpus/$target
    mkdir -p "$folder"
    "build/libfuzzer/fuzz/fuzz_$target" "--write-seeds=$folder"
    "build/libfuzzer/fuzz/fuzz_$target" -max_total_time="${FUZZ_S:-60}" -print_final_stats=1 -artifact_prefix="build/libfuzzer/$target-" \
      -rss_limit_mb=2048 "$folder" 2>&1 | tee "build/libfuzzer/$target.log" | grep -E "ERROR|SUMMARY|number_of_executed_units|#[0-9]+[[:space:]]+DONE" || true
    ! grep -q "ERROR:" "build/libfuzzer/$target.log"
  done
}
# The packages, each installed, used and removed in a new Debian.
part_packages() {
  CMAKE_ARGS="-DCONVOY_PAGE=ON" main
  /usr/bin/python3 tests/e2e/test_packages.py . build fresh
}
# The wheel, in new environments and in a new Debian.
part_wheel() {
  scripts/wheel.sh
  /usr/bin/python3 tests/e2e/test_wheel.py build/wheel/wheels/*.whl
}
# The container image of the package.
part_image() {
  need buildah debootstrap
  scripts/packages.sh
  scripts/image.sh
  local container line
  export STORAGE_DRIVER=vfs
  container=$(buildah from "localhost/convoy:$(dpkg-deb -f build/packages/convoy_*.deb Version)")
  line=$(buildah run --isolation chroot "$container" -- convoy run warehouse --duration 5s --log-level error 2>/dev/null | tail -n 1)
  buildah rm "$container" >/dev/null
  [ "$line" = "digest 6be68fdcae4e46fc" ] || { echo "deep: the image came to: $line"; exit 1; }
}
# What is submitted to Kubernetes, held against a real API server. Needs a Go of the last two years.
part_kube_api() {
  need go kubectl curl
  main convoy
  tools/kube_api.sh
  /usr/bin/python3 tests/e2e/test_kube_api.py build/convoy build/kube-api
}
part_mutants() { /usr/bin/python3 tests/mutants/run.py --jobs "$jobs"; }
part_fresh_demo() { "$fresh" scripts/demo.sh; }
part_fresh_test() { "$fresh" scripts/test.sh; }

if [ "${1:-}" = --part ]; then
  "part_$2"
  exit 0
fi
parts=("$@")
[ $# -gt 0 ] || parts=("${all[@]}")
for part in "${parts[@]}"; do
  [[ " ${all[*]} " = *" $part "* ]] || { sed -n '2,8s/^# \?//p' "$0" >&2; exit 2; }
done

scripts/setup.sh --deep
for env in "" web browser kubernetes lint ros; do scripts/python-env.sh "$env"; done
summary=()
failed=0
for part in "${parts[@]}"; do
  printf '\n==== %s\n' "$part"
  begun=$SECONDS
  if [[ $part = fresh_* ]] && [ ! -x "$fresh" ]; then
    summary+=("$part: left out: CONVOY_FRESH_SYSTEM names no program")
  elif "$0" --part "$part"; then
    summary+=("$part: passed in $((SECONDS - begun)) s")
  else
    summary+=("$part: FAILED after $((SECONDS - begun)) s")
    failed=1
  fi
done
printf '\n==== summary\n'
printf '%s\n' "${summary[@]}"
exit $failed

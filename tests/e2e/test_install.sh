#!/bin/sh
# Installs a build into a new prefix, runs the command from there, and builds the example against it as a stranger would.
#
#   tests/e2e/test_install.sh SOURCE BUILD
set -eu
source=$1
build=$2
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix" >"$prefix/install.log" || { cat "$prefix/install.log"; exit 1; }
if [ -x "$prefix/bin/convoy" ]; then
  "$prefix/bin/convoy" version
  # The maps are found from share/ of the installation, wherever it is.
  (cd / && "$prefix/bin/convoy" check "$prefix/share/convoy/scenarios/warehouse.yaml")
  # The libraries of jobs are found from the installation, not from the build; a build without nodes has none.
  if [ -e "$build/rclcpp/libconvoy_rclcpp.so" ]; then
    "$prefix/bin/convoy" job --benchmark determinism
    # Shipped scenarios run by name with their components.
    for name in fleet_nodes mapping builders; do
      (cd / && "$prefix/bin/convoy" run $name --duration 1s --log-level warn | grep -qx "digest [0-9a-f]*")
    done
    if ldd "$prefix/bin/convoy" "$prefix"/lib/convoy/*.so | grep -F "$build"; then exit 1; fi
  fi
  test -s "$prefix/share/bash-completion/completions/convoy"
fi
cmake -G Ninja -S "$source/examples/find_package" -B "$prefix/example" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >"$prefix/configure.log" ||
  { cat "$prefix/configure.log"; exit 1; }
cmake --build "$prefix/example"
"$prefix/example/lap"

# A sensor of a library that was built outside, in the example's own folder.
if [ -x "$prefix/bin/convoy" ] && "$prefix/bin/convoy" version | grep -qi embree; then
  mkdir "$prefix/sensor"
  cp "$source"/examples/sensor/* "$prefix/sensor"
  cmake -G Ninja -S "$prefix/sensor" -B "$prefix/sensor/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >"$prefix/configure.log" ||
    { cat "$prefix/configure.log"; exit 1; }
  cmake --build "$prefix/sensor/build"
  "$prefix/bin/convoy" run "$prefix/sensor/uwb.yaml" --duration 1s --speed max --log-level warn | grep -qx "digest [0-9a-f]*"
fi

# Engines of robots that were built outside: in a library, and in a program that is a host of the installation's server.
if [ -x "$prefix/bin/convoy" ] && "$prefix/bin/convoy" version | grep -qi mujoco; then
  mkdir "$prefix/robot"
  cp "$source"/examples/robot/* "$prefix/robot"
  cmake -G Ninja -S "$prefix/robot" -B "$prefix/robot/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >"$prefix/configure.log" ||
    { cat "$prefix/configure.log"; exit 1; }
  cmake --build "$prefix/robot/build"
  for engine in bicycle wagon; do
    "$prefix/bin/convoy" run "$prefix/robot/$engine.yaml" --duration 1s --speed max --log-level warn | grep -qx "digest [0-9a-f]*"
  done
  wanted=$("$prefix/bin/convoy" run "$prefix/robot/bicycle.yaml" --duration 1s --log-level error --set name=cars | tail -1)
  "$prefix/bin/convoy" server "$prefix/robot/cars.yaml" --listen 127.0.0.1:0 --duration 1s --speed max >"$prefix/run.log" 2>&1 &
  run=$!
  port=
  for _ in $(seq 100); do
    port=$(sed -n 's/^listening on port \([0-9]*\)$/\1/p' "$prefix/run.log")
    [ -n "$port" ] && break
    sleep 0.1
  done
  "$prefix/bin/convoy" client --connect "127.0.0.1:$port" --name host0 --log-level warn &
  "$prefix/robot/build/cars" "127.0.0.1:$port" || { cat "$prefix/run.log"; exit 1; }
  wait "$run" || { cat "$prefix/run.log"; exit 1; }
  grep -qx "$wanted" "$prefix/run.log" || { echo "the library comes to: $wanted"; cat "$prefix/run.log"; exit 1; }
fi

# A foreign client that was built outside joins a server of the installation.
if [ -x "$prefix/bin/convoy" ]; then
  : >"$prefix/run.log"  # the job below makes it when it comes to run
  "$prefix/bin/convoy" launch "$prefix/share/convoy/scenarios/hello.yaml" --duration 3s --speed 1 >"$prefix/run.log" 2>&1 &
  run=$!
  port=
  for _ in $(seq 100); do
    port=$(sed -n 's/.*server listens on 127\.0\.0\.1:\([0-9]*\).*/\1/p' "$prefix/run.log")
    [ -n "$port" ] && break
    sleep 0.1
  done
  "$prefix/example/foreign_client" "127.0.0.1:$port" guest >"$prefix/guest.log" 2>&1 || { cat "$prefix/guest.log"; exit 1; }
  wait "$run" || { cat "$prefix/run.log"; exit 1; }
  grep -q "entity appeared guest_bot" "$prefix/guest.log" || { cat "$prefix/guest.log"; exit 1; }
fi

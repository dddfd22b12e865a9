#!/bin/sh
# Makes an environment with real ROS 2 Jazzy, .env/ros, from tools/requirements-ros.txt: 270 MB, for scripts/deep.sh alone.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
list=$root/tools/requirements-ros.txt
env=$root/.env/ros
stamp=$env/requirements.sha256
want=$(sha256sum <"$list")
if [ -x "$env/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then exit 0; fi
rm -rf "$env"
mkdir -p "$root/.env"
/usr/bin/python3 -m venv "$env"
"$env/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$list"
printf '%s\n' "$want" >"$stamp"
echo "ros-env: $env is ready"

#!/bin/sh
# Makes one of the project's own Python environments; quick when it is up to date.
#
#   scripts/python-env.sh        .env/python, from tools/requirements.txt: what the tests need
#   scripts/python-env.sh ros    .env/ros, from tools/requirements-ros.txt: real ROS 2 Jazzy, 270 MB, for scripts/deep.sh alone
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
case "${1:-}" in
  '') list=$root/tools/requirements.txt env=$root/.env/python ;;
  ros) list=$root/tools/requirements-ros.txt env=$root/.env/ros ;;
  *) echo "usage: scripts/python-env.sh [ros]" >&2; exit 2 ;;
esac
stamp=$env/requirements.sha256
want=$(sha256sum <"$list")
if [ -x "$env/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then exit 0; fi
rm -rf "$env"
mkdir -p "$root/.env"
/usr/bin/python3 -m venv "$env"
"$env/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$list"
printf '%s\n' "$want" >"$stamp"
echo "python-env: $env is ready"

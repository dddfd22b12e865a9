#!/bin/sh
# Makes the project's own Python environment, .env/python, from tools/requirements.txt; quick when it is up to date.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
list=$root/tools/requirements.txt
env=$root/.env/python
stamp=$env/requirements.sha256
want=$(sha256sum <"$list")
if [ -x "$env/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then exit 0; fi
rm -rf "$env"
mkdir -p "$root/.env"
/usr/bin/python3 -m venv "$env"
"$env/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$list"
printf '%s\n' "$want" >"$stamp"
echo "python-env: $env is ready"

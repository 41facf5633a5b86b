#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh PRESET: configures and builds a preset of CMakePresets.json, quietly unless it
# fails, and prints the build folder. Used by the other scripts.
set -eu
cd "$(dirname "$0")/.."
preset=$1

if [ -z "${CMAKE_GENERATOR-}" ] && command -v ninja >/dev/null; then
	export CMAKE_GENERATOR=Ninja
fi
build=build-$preset
case $preset in
default | demo) build=build ;;
esac
# The demonstration takes a build folder as it finds it: whoever has tests in it keeps them.
if [ "$preset" = demo ] && [ -f build/CMakeCache.txt ]; then
	preset=
fi
# A folder configured with another generator keeps it.
if [ -f "$build/CMakeCache.txt" ]; then
	unset CMAKE_GENERATOR
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
configure()
{
	if [ -n "$preset" ]; then
		cmake --preset "$preset"
	else
		cmake "$build"
	fi
}
if ! { configure && cmake --build "$build" -j "${JOBS:-$(nproc)}"; } >"$log" 2>&1; then
	cat "$log" >&2
	exit 1
fi
grep -E 'warning:' "$log" >&2 || true
echo "$build"

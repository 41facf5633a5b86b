#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh [ARGUMENT...]: builds the demonstration and runs it with the arguments. Without any it
# runs twice: on this machine, and on a described one with more packages than most have.
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh demo
build=$(scripts/build.sh demo)
if [ $# -eq 0 ] && [ -x "$build/examples/sdpower-pool" ]; then
	"$build/examples/sdpower-pool"
	echo
	exec "$build/examples/sdpower-pool" --topology "pack:2 core:4 pu:2" --jobs 2
fi
for demo in sdpower-pool hello; do
	[ ! -x "$build/examples/$demo" ] || exec "$build/examples/$demo" "$@"
done
echo "no example was built" >&2
exit 1

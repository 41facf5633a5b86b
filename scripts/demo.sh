#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh [ARGUMENT...]: builds and runs the demonstration. Arguments go to it.
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh demo
build=$(scripts/build.sh demo)
for demo in sdpower-pool hello; do
	[ ! -x "$build/examples/$demo" ] || exec "$build/examples/$demo" "$@"
done
echo "no example was built" >&2
exit 1

#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh [PRESET [CTEST_ARGUMENT...]]: installs what is missing, builds and runs the tests.
# Without arguments: all of them, in build/.
set -eu
cd "$(dirname "$0")/.."
preset=${1:-default}
[ $# -eq 0 ] || shift

scripts/setup.sh test
build=$(scripts/build.sh "$preset")
exec ctest --test-dir "$build" --output-on-failure -j "${JOBS:-$(nproc)}" "$@"

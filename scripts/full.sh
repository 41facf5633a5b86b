#!/bin/sh
# SPDX-License-Identifier: MIT
# full.sh [STAGE...]: what takes too long for every change and is no part of CI. Stages, all of
# them by default: fuzz (libFuzzer, SECONDS each, 60 by default), models (as long, other seeds
# each time; then every state of small machines and every order of the pool's threads, about twenty
# minutes), bugs (planted ones: which does no test notice?), cross (bare-metal targets), packaging
# (install and every way to link). The last line adds up the stages.
set -u
cd "$(dirname "$0")/.." || exit 1
seconds=${SECONDS_EACH:-60}

fuzz()
{
	build=$(scripts/build.sh fuzz) && sh tests/fuzz/long.sh "$build" "$seconds"
}

# until_then PROGRAM: runs it on fresh seeds until the time is up.
until_then()
{
	end=$(($(date +%s) + seconds)) seed=$(($(date +%s) * 1000))
	while [ "$(date +%s)" -lt $end ]; do
		"$1" $seed 100 || return 1
		seed=$((seed + 100))
	done
}

models()
{
	build=$(scripts/build.sh default) && until_then "$build/tests/model/test_model" &&
		until_then "$build/tests/model/test_model_tree" &&
		until_then "$build/tests/model/test_model_native" &&
		until_then "$build/tests/explore/test_properties" && "$build/tests/explore/test_explore" full &&
		"$build/tests/weave/weave" full
}

bugs()
{
	sh tests/bugs/run.sh
}

cross()
{
	scripts/test.sh default -L freestanding
}

packaging()
{
	scripts/test.sh default -R '^(install|consumers|symbols)'
}

[ $# -gt 0 ] || set -- fuzz models bugs cross packaging
passed=0 failed=0
for stage; do
	echo "=== $stage"
	if "$stage"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "=== $stage failed"
	fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

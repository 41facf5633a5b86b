#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh [NAME...]: builds the benchmarks and runs them all, or the named ones. Each writes
# a table to build-bench/results/NAME.tsv; machine.tsv says where. A benchmark whose peer
# library is absent exits with 77 and counts as skipped.
set -eu
cd "$(dirname "$0")/.."

for name; do
	[ ! -f "tests/bench/bench_$name.c" ] || continue
	echo "bench.sh: no benchmark \"$name\"; there are:" >&2
	ls tests/bench | sed -n 's/^bench_\(.*\)\.c$/    \1/p' >&2
	exit 2
done
scripts/setup.sh bench
build=$(scripts/build.sh bench)
results=$build/results
mkdir -p "$results"

{
	printf 'cpu\t%s\n' "$(sed -n 's/^model name[ \t]*: //p' /proc/cpuinfo | head -n 1)"
	printf 'cpus\t%s\n' "$(nproc)"
	printf 'kernel\t%s\n' "$(uname -sr)"
	printf 'compiler\t%s\n' "$(gcc --version | head -n 1)"
	printf 'commit\t%s\n' "$(git describe --always --dirty 2>/dev/null || echo unknown)"
	printf 'date\t%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
} >"$results/machine.tsv"

# shellcheck disable=SC2046 # no name has a blank in it
[ $# -gt 0 ] || set -- $(cat "$build/tests/bench/names.txt")
passed=0 failed=0 skipped=0
for name; do
	status=0
	"$build/tests/bench/bench_$name" >"$results/$name.tsv" || status=$?
	case $status in
	0)
		passed=$((passed + 1))
		echo "== $name"
		cat "$results/$name.tsv"
		;;
	77)
		skipped=$((skipped + 1))
		echo "== $name: skipped: $(cat "$results/$name.tsv")"
		rm -f "$results/$name.tsv"
		;;
	*)
		failed=$((failed + 1))
		echo "== $name: failed with $status"
		;;
	esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]

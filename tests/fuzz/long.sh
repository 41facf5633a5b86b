#!/bin/sh
# SPDX-License-Identifier: MIT
# long.sh BUILD SECONDS [TARGET..]: every libFuzzer target of a build with SDPOWER_FUZZ, that
# long each. What it learns stays in BUILD/corpus; a crash leaves its input in BUILD/crashes.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
seconds=$2
shift 2
[ $# -gt 0 ] || set -- $(sed -n 's/^sdpower_fuzz(\([a-z_]*\))$/\1/p' "$folder/CMakeLists.txt")
failed=
for target; do
	corpus=$build/corpus/$target
	mkdir -p "$corpus" "$build/crashes"
	# The driver's words and seeds serve libFuzzer too.
	"$build/tests/fuzz/fuzz_$target" --seeds "$corpus" > "$build/corpus/$target.dict"
	echo "=== fuzz $target, $seconds s"
	"$build/tests/fuzz/libfuzzer_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 \
		-max_len=4000 -len_control=0 -dict="$build/corpus/$target.dict" -print_final_stats=1 \
		-artifact_prefix="$build/crashes/$target-" "$corpus" > "$build/corpus/$target.log" 2>&1 ||
		failed="$failed $target"
	grep -E 'ERROR|does not hold|runtime error|number_of_executed|DONE' "$build/corpus/$target.log" ||
		tail -n 20 "$build/corpus/$target.log"
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }

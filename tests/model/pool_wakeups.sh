#!/bin/sh
# SPDX-License-Identifier: MIT
# pool_wakeups.sh [TASKS]: explores how the pool wakes (pool_wakeups.pml), two workers and TASKS
# tasks (default 2), and then again without each of the steps that are there for a reason: each
# must be missed. 77: there is no spin.
set -eu
model=$(cd "$(dirname "$0")" && pwd)/pool_wakeups.pml
tasks=${1:-2}
command -v spin >/dev/null || {
	echo "pool_wakeups.sh: skipped, there is no spin (package spin)"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# explore TASKS WITHOUT: prints what was found.
explore()
{
	spin -DTASKS="$1" -DWITHOUT="$2" -a "$model" >log 2>&1 &&
		${CC:-cc} -w -O2 -DSAFETY -DCOLLAPSE -o pan pan.c || {
		cat log >&2
		exit 1
	}
	./pan -m1000000 >log 2>&1
	sed -n 's/.*depth reached \([0-9]*\), errors: \([0-9]*\).*/\2 errors, depth \1/p
		s/^ *\([0-9]*\) states, stored.*/\1 states/p' log | paste -s -d ,
}

failed=0
# expect WORD TASKS WITHOUT: WORD is the number of errors.
expect()
{
	found=$(explore "$2" "$3")
	case $found in
	"$1 errors"*) verdict=ok ;;
	*) verdict=FAILED failed=$((failed + 1)) ;;
	esac
	echo "$verdict: $2 tasks, without step $3 (0 = with all): $found"
}

expect 0 "$tasks" 0
for step in 1 2 3 6 7 8 9; do
	expect 1 2 $step
done
expect 1 3 5
[ $failed -eq 0 ]

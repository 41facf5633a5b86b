#!/bin/sh
# SPDX-License-Identifier: MIT
# replay.sh PROGRAM OWN MAKE: a trace replays, and a changed word is found where it is.
. "$(dirname "$0")/lib.sh"
make=$3

for kind in none busiest wake place; do
	"$make" "pack:2 core:4" $kind >"$work/$kind"
done
"$make" "numa:2 l3:12 core:8 pu:2" place >"$work/large"
expect 0 replay --record "$work/none" "$work/busiest" "$work/wake" "$work/place" "$work/large"
cp "$work/out" "$work/trace"
expect 0 replay "$work/trace"
says ': 5 records, every answer the same$'
expect 0 replay --quiet "$work/trace" "$work/trace"
[ ! -s "$work/out" ] || die "--quiet says $(cat "$work/out")"
"$program" replay - <"$work/trace" >"$work/out" || die "standard input"
expect 0 replay --json "$work/trace"
json 'd["traces"][0]["records"] == 5 and d["traces"][0]["same"]'

sed '/^answer busiest/s/ max_load=[0-9]*/ max_load=77/; /^answer place/s/ cpu=[0-9]*/ cpu=1/' \
	"$work/trace" >"$work/changed"
line=$(grep -n '^answer busiest' "$work/changed" | cut -d: -f1)
expect 1 replay "$work/changed"
complains "changed:$line: record 2: max_load is [0-9]+, recorded 77 \(cpu 7 is newly idle"
[ "$(wc -l <"$work/err")" = 1 ] || die "more than the first difference: $(cat "$work/err")"
expect 1 replay --all "$work/changed"
[ "$(wc -l <"$work/err")" = 3 ] || die "not all differences: $(cat "$work/err")"
expect 1 replay --all --json "$work/changed"
json '[x["field"] for x in d["traces"][0]["differences"]] == ["max_load", "cpu", "cpu"]'
sed 's/^answer wake/answer place/' "$work/trace" >"$work/changed"
expect 1 replay "$work/changed"
complains 'kind is wake, recorded place'
# What an older library did not know is not compared; what this one does not know is.
sed 's/ total_load=[0-9]*//' "$work/trace" >"$work/changed"
expect 0 replay "$work/changed"
sed 's/^answer wake.*/& mood=3/' "$work/trace" >"$work/changed"
expect 1 replay "$work/changed"
complains 'mood is absent, recorded 3'

expect 3 replay "$work/busiest"
complains 'busiest:1: error: this is no trace'
sed '1s/1$/2/' "$work/trace" >"$work/changed"
expect 3 replay "$work/changed"
complains 'changed:1: error: a version'
sed '/^answer wake/d' "$work/trace" >"$work/changed"
expect 3 replay "$work/changed"
complains 'error: expected the answer'
sed '$d' "$work/trace" | sed '$d' >"$work/changed"
expect 3 replay "$work/changed"
complains 'the last record has no end'
sed '/^ask wake/s/.*/ask wake 1/' "$work/trace" >"$work/changed"
expect 3 replay "$work/changed"
complains "changed:$(grep -n '^ask wake' "$work/changed" | cut -d: -f1):[0-9]+: error:"

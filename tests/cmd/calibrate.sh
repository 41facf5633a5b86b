#!/bin/sh
# SPDX-License-Identifier: MIT
# calibrate.sh PROGRAM OWN MAKE: every form of a calibration, measured here and kept elsewhere.
# What is measured depends on the machine; that there is an answer in time does not.
. "$(dirname "$0")/lib.sh"
make=$3

expect 0 calibrate
says '^migration cost matrix \(max_cache_size: [0-9]+, cpu: [0-9]+ MHz\):$'
says '^migration_cost=[0-9]'
[ ! -s "$work/err" ] || die "progress without a terminal: $(cat "$work/err")"
expect 0 calibrate --keep
cp "$work/out" "$work/kept"
expect 0 calibrate --load "$work/kept" --keep
cmp -s "$work/kept" "$work/out" || die "what is kept and loaded is kept otherwise"
expect 0 calibrate --json
json 'd["wall_ns"] < 5e9 and all(x["hot_ns"] > 0 for x in d["distances"])'

# Every size that was tried: none on a machine that does not let us measure.
expect 0 calibrate --points --total 2000
says '^distance  pair +size KiB'
says '^[0-9]+ sizes? tried$'
expect 0 calibrate --points --csv
awk -F , 'NR == 1 { n = NF } NF != n || (NR > 1 && $3 % 64) { exit 1 }' "$work/out" ||
	die "the points are wrong: $(cat "$work/out")"
expect 0 calibrate --points --json --percent 300 --near 5 --far 30
json 'd["percent"] == 300 and all(p["low_ns"] <= p["cost_ns"] <= p["high_ns"] for p in d["points"])'
json 'all(any(p["size_bytes"] == x["size_bytes"] and p["cost_ns"] for p in d["points"]
	if p["distance"] == x["distance"]) for x in d["distances"] if x["cost_ns"])'
json 'all(x["hot_ns"] == 6 * x["cost_ns"] for x in d["distances"] if "defaulted" not in x["flags"])'
# A millisecond is too short for anything, and it says so.
expect 0 calibrate --json --total 1
json 'all(x["flags"] for x in d["distances"])'

wide="pack:4 l3:1 core:2 pu:2"
"$make" "$wide" calibration >"$work/wide"
set -- --rules classic --load "$work/wide"
expect 0 calibrate "$@" "$wide"
golden calibrate.txt
expect 1 calibrate "$@" --strict "$wide"
expect 0 calibrate "$@" --line "$wide"
says '^migration_cost=1,9,500$'
complains 'not to be relied on, defaulted: '
[ "$(wc -l <"$work/out")" = 1 ] || die "more than a line: $(cat "$work/out")"
expect 0 calibrate "$@" --csv "$wide"
awk -F , 'NR == 1 { n = NF; for (i = 1; i <= NF; i++) at[$i] = i }
	NF != n { exit 1 }
	NR == 3 { if ($at["cost_ns"] != 4900 || $at["hot_ns"] != 9800 || $at["flags"] != "-") exit 1 }
	END { exit NR != 4 }' "$work/out" || die "the table is wrong: $(cat "$work/out")"
expect 0 calibrate "$@" --json "$wide"
json '[x["cost_ns"] for x in d["distances"]] == [700, 4900, 0] and d["loaded"]'
json 'd["distances"][2]["flags"] == ["defaulted"] and d["distances"][2]["cpu"] is None'
expect 0 calibrate "$@" --svg "$wide"
picture
[ "$(grep -c '>4.9 us</text>' "$work/out")" = 32 ] || die "the map does not show 32 pairs of cores"

# Three hundred and eighty-four cpus, in some thousand boxes; two.
large="numa:2 l3:12 core:8 pu:2"
"$make" "$large" calibration >"$work/large"
expect 0 calibrate --rules classic --load "$work/large" --svg "$large"
picture
[ "$(grep -c '<rect' "$work/out")" -lt 2000 ] || die "$(grep -c '<rect' "$work/out") boxes"
expect 0 calibrate --rules classic --load "$work/large" "$large"
says '^\[383\]: '
"$make" core:2 calibration >"$work/two"
expect 0 calibrate --rules classic --load "$work/two" --svg core:2
picture
"$make" core:1 calibration >"$work/one"
expect 0 calibrate --rules classic --load "$work/one" core:1
says '^one cpu: there is nowhere'

expect 1 calibrate --rules classic --load "$work/two" "$wide"
complains 'two: error: measured on .* another tree of domains$'
expect 2 calibrate core:2
complains 'only the machine we run on'
expect 2 calibrate --load "$work/kept" --points
complains 'measures nothing'
expect 2 calibrate --load "$work/kept" --near 5
expect 2 calibrate --points --keep
expect 2 calibrate --percent 10001
sed '3s/ [0-9]* / x /' "$work/wide" >"$work/broken"
expect 3 calibrate --rules classic --load "$work/broken" "$wide"
complains 'broken:3:[0-9]+: error: '
expect 3 calibrate --load "$work/none"

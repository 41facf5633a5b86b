#!/bin/sh
# SPDX-License-Identifier: MIT
# explain.sh PROGRAM OWN MAKE: decisions of every kind, other rules, and texts that are wrong.
. "$(dirname "$0")/lib.sh"
make=$3

"$make" "pack:2 core:4" busiest >"$work/busiest"
expect 0 explain "$work/busiest"
says '^cpu 7 is newly idle: from where should it pull at depth 1\?$'
says '^cpu 7 depth 1 newly idle: pull [0-9]+ from the group of cpu 0 \(imbalance.*runner-up none'
says '^  recorded +balanced +mc=2 smt=0 '
says '^  classic-30 .*\[the same\]$'
says '^  modern '
"$make" "pack:2 core:4 pu:2" place >"$work/place"
expect 0 explain "$work/place"
says 'runner-up cpu 0'
grep '^  recorded *powersave' "$work/out" | grep -qv 'the same' || die "levels decide alike"
"$make" "numa:2 l3:12 core:8 pu:2" wake >"$work/wake"
expect 0 explain --json "$work/wake"
json 'd["kind"] == "wake" and d["cpu"] == 383 and d["variants"][0]["same"]'
expect 0 explain --json "$work/busiest"
json 'd["imbalance"] > 0 and "imbalance" in d["reasons"]'
json '{v["rules"] for v in d["variants"]} >= {"recorded", "classic-30", "reverted", "modern"}'
"$make" core:2 none >"$work/none"
expect 0 explain "$work/none"
says '^nothing is asked of these 2 cpus'
"$program" explain - <"$work/none" >"$work/out" || die "standard input"

expect 2 explain
expect 3 explain "$work/missing"
sed 's/^knobs .*/knobs 7 7 0/' "$work/busiest" >"$work/broken"
expect 3 explain "$work/broken"
complains "broken:$(grep -n '^knobs' "$work/broken" | cut -d: -f1):[0-9]+: error: "
head -n 7 "$work/busiest" >"$work/cut"
expect 3 explain "$work/cut"
: >"$work/empty"
expect 3 explain "$work/empty"
expect 3 explain "$own/books.topo"

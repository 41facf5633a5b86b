#!/bin/sh
# SPDX-License-Identifier: MIT
# stats.sh PROGRAM OWN MAKE: counters are summed by level, subtracted modulo 2^32, refused when wrong.
. "$(dirname "$0")/lib.sh"
make=$3

"$make" "numa:2 l3:12 core:8 pu:2" counters >"$work/large"
expect 0 stats "$work/large"
says '^nothing happened at [0-9]+ levels$'
expect 0 stats --json "$work/large"
json 'all(l["newly idle"]["lb_count"] == 0 for l in d["levels"]) and d["levels"][0]["cpus"] == 384'

before='0 0 0 0 0 0 0 0 1 2 3 4 5 6 7 8 4294967290 0 0 0 0 0 0 0'
after='0 0 0 0 0 0 0 0 2 4 6 8 10 12 14 16 4 0 0 0 0 0 0 0'
printf 'sdpower counters 1\nlevel 0 0 MC %s 9 8 1\nlevel 4 0 MC %s 0 0 0\nend\n' \
	"$before" "$before" >"$work/before"
printf 'sdpower counters 1\nlevel 0 0 MC %s 9 8 1\nlevel 4 0 MC %s 5 3 2\nend\n' \
	"$after" "$after" >"$work/after"
expect 0 stats "$work/after"
says '^depth 0, MC, 2 cpus$'
says '^  busy +4 +8 +12 +16 +20 +24 +28 +32$'
says 'alb_count 14, alb_failed 11, alb_pushed 3$'
expect 0 stats "$work/after" "$work/after"
says '^nothing happened at 1 level$'
expect 0 stats "$work/before" "$work/after"
says '^  newly idle +20 '
says 'alb_count 5, alb_failed 3, alb_pushed 2$'
"$program" stats - <"$work/after" >"$work/out" || die "standard input"

expect 3 stats "$own/books.topo"
complains 'books.topo:1: error: these are no counters'
sed 's/ 5 3 2$/ 5 3/' "$work/after" >"$work/broken"
expect 3 stats "$work/broken"
complains 'broken:3: error: not a level'
sed '$d' "$work/after" >"$work/broken"
expect 3 stats "$work/broken"
complains 'broken:4: error: the text has no end'
sed 's/ 5 3 2$/ 5 3 4294967296/' "$work/after" >"$work/broken"
expect 3 stats "$work/broken"
sed '1s/1$/2/' "$work/after" >"$work/broken"
expect 3 stats "$work/broken"
complains 'broken:1: error: a version'

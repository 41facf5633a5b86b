#!/bin/sh
# SPDX-License-Identifier: MIT
# levels.sh PROGRAM OWN MAKE: the three words on machines with and without parts that could sleep.
. "$(dirname "$0")/lib.sh"
make=$3

expect 0 levels
says '^powersave +mc=2 smt=2 '
expect 0 levels --rules classic "pack:2 core:4 pu:2"
golden levels.txt
expect 0 levels core:1
says 'nothing to empty'
expect 0 levels --json "numa:2 l3:12 core:8 pu:2"
json '[l["level"] for l in d["levels"]] == ["performance", "balanced", "powersave"]'
json 'not d["levels"][0]["filled"] and d["levels"][2]["filled"]'

# Costs are told once, and not where savings have added a level.
wide="pack:2 l3:1 core:2 pu:2"
"$make" "$wide" calibration >"$work/wide"
expect 0 levels --rules classic --costs "$work/wide" "$wide"
says '^  MC +4\.9 us to move a task, cold after 9\.8 us$'
says '^  CPU +not measured, cold after 500\.0 us \(defaulted\)$'
! grep -q 'not for' "$work/out" || die "costs are denied: $(cat "$work/out")"
expect 0 levels --rules classic --costs "$work/wide" --json "$wide"
json 'd["costs"]["for"] == ["performance", "balanced", "powersave"]'
json '[x["cost_ns"] for x in d["costs"]["domains"]] == [700, 4900, None]'
"$make" core:4 calibration >"$work/four"
expect 0 levels --rules classic-30 --costs "$work/four" core:4
says '^  MC +0\.7 us to move'
says '^  not for balanced, '
expect 0 levels --rules classic-30 --costs "$work/four" --json core:4
json 'd["costs"]["for"] == ["performance", "powersave"] and len(d["costs"]["domains"]) == 1'
expect 1 levels --costs "$work/four" "$wide"
complains 'another tree of domains$'
[ ! -s "$work/out" ] || die "an answer beside the refusal: $(cat "$work/out")"
echo nonsense >"$work/broken"
expect 3 levels --costs "$work/broken" core:4
complains 'broken:1:1: error: '

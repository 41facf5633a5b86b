#!/bin/sh
# SPDX-License-Identifier: MIT
# domains.sh PROGRAM OWN MAKE: what a domain carries, and what knobs would change.
. "$(dirname "$0")/lib.sh"
make=$3

expect 0 domains --rules classic --cpu 2 "$own/smt-2x2x2.topo"
says '^depth 0, SIBLING: cpus 2-3$'
says '^  flags .*SHARE_CPUPOWER'
says '^ +1024  cpus 4-7$'
says '^mc=2 smt=0  balanced +8 cpus change, .*gained: POWERSAVINGS'
! grep -q '^mc=0 smt=0' "$work/out" || die "the present knobs among the others"
expect 0 domains --level balanced "$own/smt-2x2x2.topo"
says '^mc=0 smt=0  performance'
says '^mc=1 smt=0 +the same tree'
expect 0 domains
expect 0 domains core:1
says '^no domains'
expect 2 domains --cpu 99 core:2
complains 'there is no cpu 99'
expect 1 domains "$own/caches-overlap.topo"

# What a dry run promises is what building with these knobs gives.
for machine in "pack:2 core:4 pu:2" "numa:2 l3:12 core:8 pu:2" "$own/books.topo"; do
	expect 0 domains --json "$machine"
	json 'len(d["knobs"]) == 9 and d["knobs"][0]["cpus_changed"] == 0'
	json 'all(sorted(sum((g["cpus"] for g in x["groups"]), [])) == x["span"] for x in d["domains"])'
	json 'all(k["domains_before"] == len({(x["level"], tuple(x["span"])) for x in d["domains"]})
		for k in d["knobs"])'
done

wide="pack:2 l3:1 core:2 pu:2"
"$make" "$wide" calibration >"$work/wide"
expect 0 domains --rules classic --costs "$work/wide" "$wide"
[ "$(grep -c '^  costs ' "$work/out")" = 3 ] || die "not one line of costs a domain: $(cat "$work/out")"
says '^  costs 0\.7 us to move a task, cold after 1\.4 us$'
expect 0 domains --rules classic --costs "$work/wide" --json "$wide"
json 'all(x["costs"]["hot_ns"] == [1400, 9800, 500000][x["depth"]] for x in d["domains"])'
json 'all(x["costs"]["flags"] == [[], [], ["defaulted"]][x["depth"]] for x in d["domains"])'
expect 0 domains --json "$wide"
json 'not any("costs" in x for x in d["domains"])'
expect 1 domains --costs "$work/wide" core:4
complains 'another tree of domains$'
expect 3 domains --costs "$work/none" core:4

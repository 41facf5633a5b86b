#!/bin/sh
# SPDX-License-Identifier: MIT
# topo.sh PROGRAM OWN: the machine as text, as a table, as JSON and as pictures.
. "$(dirname "$0")/lib.sh"

expect 0 topo
says 'usable cpu'
expect 0 topo --rules classic "$own/smt-2x2x2.topo"
golden topo.txt
expect 0 topo --all --rules modern "$own/smt-2x2x2.topo"
says '^ +1  MC +4-7$'
expect 0 topo "pu:1"
says '1 usable cpu,'
expect 0 topo "numa:2 pack:2 l3:4 core:12 pu:2"
says ': 384 usable cpus, 192 cores'
expect 0 topo "$own/holes-cpu0-offline.topo"
says '^offline: cpu'
expect 0 topo "$own/cpuset-of-three.topo"
says '^not allowed: cpu'
expect 0 topo "$own/big-little.topo"
says '^capacity [0-9]+: cpus'

# Cores are numbered within packages; the nodes fit into nothing.
{
	printf 'sdpower/version\t1\nsdpower/os_id\t0+8\n'
	printf 'sdpower/core\t0 0 1 1 0 0 1 1\nsdpower/package\t0*4 1*4\n'
	printf 'sdpower/node\t0 1 0 1 0 1 0 1\nsdpower/nodes\t0 1\n'
} >"$work/crossing.topo"
expect 0 topo "$work/crossing.topo"
says '^ +cores 0\+1 2\+3$'
says 'the nodes cut across'

# In a ring the spans of neighbours differ although they begin alike.
expect 0 topo --json --rules modern "$own/eighteen-nodes.topo"
json 'len([x for x in d["domains"] if x.get("numa_level") == 0]) == 18'

# A machine whose caches contradict each other is drawn, but has no domains.
expect 1 topo "$own/caches-overlap.topo"
complains 'caches-overlap.topo: warning: .*overlap'
complains 'error: no domains by the rules default'
says '^no domains'

for machine in core:2 "pack:4 l3:1 core:2 pu:2" "numa:2 l3:12 core:8 pu:2" "$own/books.topo"; do
	expect 0 topo --json "$machine"
	json 'd["summary"]["usable_cpus"] == len(d["cpus"]) and d["domains"]'
	json 'all(set(x["cpus"]) <= set(x["span"]) for x in d["domains"])'
	expect 0 topo --svg "$machine"
	picture
	expect 0 topo --dot "$machine"
	says '^digraph domains \{'
done

# One line a machine: every number that is known must be there.
expect 0 topo --summary "$own"/../reported/*.topo
awk -F '\t' 'NR == FNR { for (i = 2; i < 9; i++) want[$1, i] = $i; next }
	{ seen++; for (i = 2; i < 9; i++) if (want[$1, i] != "-" && want[$1, i] != $i) {
		print $1 ": column " i " is " $i ", not " want[$1, i]; bad = 1 } }
	END { exit bad || seen < 13 }' "$own/../reported/expected.tsv" "$work/out" ||
	die "the summary differs: $(cat "$work/out")"
expect 3 topo --summary core:2 none.topo core:3
says '^core:3	3	'
complains '^none.topo: error: '
expect 0 topo --summary --json core:2 "$own/books.topo"
json '[m["usable_cpus"] for m in d["machines"]][0] == 2'

expect 3 topo none.topo
complains '^none.topo: error: No such file'
expect 3 topo "core:2 nonsense:1"
complains '^core:2 nonsense:1:8: error: '

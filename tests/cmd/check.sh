#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh PROGRAM OWN: what is wrong with a description is said with its place.
. "$(dirname "$0")/lib.sh"

for machine in "$own"/*.topo; do
	expect 0 check "$machine"
	says ': ok, '
done
expect 0 check "$own/caches-overlap.topo"
complains 'warning: .*overlap'
expect 1 check --strict "$own/caches-overlap.topo"
expect 0 check --quiet "$own/books.topo"
[ ! -s "$work/out" ] || die "--quiet says $(cat "$work/out")"

printf '# a comment\nsys/x\tcontent\nno tab\n' >"$work/broken.topo"
expect 1 check "$work/broken.topo" core:2
complains 'broken.topo:3: error: '
says '^core:2: ok'
expect 1 check "pack:2 nonsense:4"
complains '^pack:2 nonsense:4:8: error: unknown type'
expect 3 check "$work/none.topo"
complains 'none.topo: error: No such file or directory$'
expect 0 check core:1
says ', 1 usable cpu in 1 package$'
: >"$work/empty.topo"
expect 1 check "$work/empty.topo"
"$program" check - <"$own/books.topo" | grep -q '^standard input: ok' || die "standard input"
head -c 4000 /dev/urandom >"$work/noise.topo"
expect 1 check "$work/noise.topo"

expect 1 check --json "$work/broken.topo" core:2
json '[m["good"] for m in d["machines"]] == [False, True]'
json 'd["machines"][0]["findings"][0]["line"] == 3'
[ ! -s "$work/err" ] || die "findings beside the document: $(cat "$work/err")"

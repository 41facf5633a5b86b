#!/bin/sh
# SPDX-License-Identifier: MIT
# falsify.sh PROGRAM DIRECTORY: changes one field of an expected tree at a time; the program
# must notice every one.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0

# falsify MACHINE WHAT SED-EXPRESSION
falsify()
{
	rm -rf "$work"/*
	cp "$2/$1.topo" "$work"
	sed "$4" "$2/$1.expected" >"$work/$1.expected"
	if cmp -s "$2/$1.expected" "$work/$1.expected"; then
		echo "$1: nothing to change for: $3"
		missed=1
	elif "$program" "$work" >"$work/out"; then
		echo "$1: not noticed: $3"
		missed=1
	fi
}

program=$1
usual=smt-2x2x2
falsify $usual "$2" 'a level name' '0,/^0	SMT/s//0	CLS/'
falsify $usual "$2" 'a span' '0,/span=0-1/s//span=0-2/'
falsify $usual "$2" 'a flag' '0,/flags=nefaslp/s//flags=nefasl/'
falsify $usual "$2" 'a ring order' '0,/groups=0|1/s//groups=1|0/'
falsify $usual "$2" 'a power' '0,/@1024/s//@1025/'
falsify $usual "$2" 'the allowed imbalance' '0,/imb=2/s//imb=3/'
falsify $usual "$2" 'a line less' '0,/^0	SMT	cpus=0	/{/^0	SMT	cpus=0	/d}'
falsify $usual "$2" 'a line more' 's/^\[today\]/&\n7	PKG	cpus=3	span=0-7	flags=n	groups=0-7/'
falsify $usual "$2" 'a cpu that is not there' '0,/cpus=0	/s//cpus=0,77	/'
falsify $usual "$2" 'cpus that are said to have no domain' 's/^\[today\]/&\nnone	cpus=3/'
falsify $usual "$2" 'a refusal' 's/^\[today\]/[today]\nrefuse/'
falsify $usual "$2" 'an unknown section' 's/^\[today\]/[tomorrow]/'
falsify $usual "$2" 'the same as an unknown section' 's/^same-as	.*/same-as	yesterday/'
falsify cpuset-of-three "$2" 'other allowed cpus' 's/allowed=0-2/allowed=0-3/'

# Every column of a bug report's line but the name and the last, which says how sure it is.
reported=$2/../reported
name=t12-scx-1994-strix-point-two-l3
rm -rf "$work"/*
cp "$reported/$name.topo" "$work"
for column in 2 3 4 5 6 7; do
	for wrong in 99 12x '' x; do
		awk -v FS='\t' -v OFS='\t' -v name=$name -v column=$column -v wrong="$wrong" '
			$1 == name { $column = wrong; print }' "$reported/expected.tsv" >"$work/expected.tsv"
		if "$program" "$work" >"$work/out"; then
			echo "$name: not noticed: column $column is '$wrong'"
			missed=1
		fi
	done
done
exit $missed

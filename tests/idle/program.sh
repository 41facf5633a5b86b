#!/bin/sh
# SPDX-License-Identifier: MIT
# program.sh PROGRAM: one short table, as text and as JSON, is complete; savings leave the second
# package idle; wrong use is refused.
set -eu
program=$1
use="$(dirname "$0")/../support/use.sh"
machine="numa:2 pack:1 core:4 pu:2"

"$use" 2 'wrong value for --jobs: "4,,8"' "$program" --jobs 4,,8
"$use" 2 'wrong value for --jobs: "0"' "$program" --jobs 0
"$use" 2 'wrong value for --jobs' "$program" --jobs 1,2,3,4,5,6,7,8,9
"$use" 2 'wrong value for --slow: "0"' "$program" --slow 0
"$use" 2 'wrong value for --time: "1s"' "$program" --time 1s
"$use" 2 'unexpected argument "all"' "$program" all
"$use" 2 'pack:2 core: text not understood' "$program" --topology "pack:2 core"
"$use" 2 './no.topo: no such file' "$program" --topology ./no.topo
"$use" 0 '^usage: sdpower-idle' "$program" --help
"$use" 0 '^sdpower-idle [0-9]+\.[0-9]+\.[0-9]+$' "$program" --version

# Columns: make, rules, smt, mc, 8 cores, 2 packages, 2 whole packages, moves.
# Played slower than the clock, so that wake-ups which a loaded machine makes late weigh less; how
# far the classic rules get in so short a time depends on them all the same.
"$program" --topology "$machine" --jobs 4 --runs 1 --time 100 --slow 4 | awk '
	{ print }
	/^-j4/ {
		lines++
		for (i = 5; i <= 16; i++)
			bad += $i < 0 || $i > 100
		bad += NF != 17
		if ($3 == 2 && $4 == 2)
			packed += $14 > $13 + ($2 == "native" ? 25 : 0)
	}
	END {
		if (lines == 5 && !bad && packed == 2)
			exit 0
		print lines " lines, " bad + 0 " bad values, " packed + 0 " packed"
		exit 1
	}'
"$program" --topology "$machine" --jobs 1,2 --runs 1 --time 10 --json | awk '
	{ text = text $0 }
	END {
		rows = gsub(/"whole_packages": \[[0-9.]+, [0-9.]+\]/, "&", text)
		whole = text ~ /^{"described": true, "packages": 2, .*"idle_percent": \[.*\]}$/
		if (rows == 10 && whole)
			exit 0
		print text
		exit 1
	}'

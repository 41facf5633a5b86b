#!/bin/sh
# SPDX-License-Identifier: MIT
# spread.sh VECTORS: takes about a tenth of each set of recorded answers into data/: every
# tenth record with all its lines, from the files VECTORS/*/KIND.*vec, and trees.vec as
# it is; of the long newidle sequences every fourteenth, and of each sort of migration record every
# sixth. Run it by hand when the sets change; the result is kept under version control.
set -eu
vectors=$1
cd "$(dirname "$0")"
mkdir -p data
cp "$vectors/balance/trees.vec" data/trees.vec
for kind in cpuload degenerate fbg idlest ilb imbalance loop machine migrate policy wake walk; do
	awk -v kind="$kind" '
		/^#/ { next }
		BEGIN {
			split("fbg F cpuload U loop L machine Q walk V", name, " ")
			head = "."
			for (i = 1; i in name; i += 2)
				if (name[i] == kind)
					head = name[i + 1]
		}
		head == "." || $1 == head { n++ }
		n % 10 == 1 { print }' "$vectors"/*/"$kind".*vec >"data/$kind.vec"
done
awk '/^#/ { next } $1 == "S" { n++ } n % 14 == 1 { print }' "$vectors"/newidle/newidle.*vec \
	>data/newidle.vec
awk '/^#/ { next }
	!inside { head = $1; keep = n[head]++ % 6 == 0; inside = head ~ /^[TSX]$/ }
	keep { print }
	$1 == "E" { inside = 0 }' "$vectors"/migration/migration.*vec >data/migration.vec
chmod 644 data/*
du -ch data | tail -n 1

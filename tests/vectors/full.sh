#!/bin/sh
# SPDX-License-Identifier: MIT
# full.sh PROGRAM ROOT KIND...: replays every file KIND*.vec below a vector directory
# ($SDPOWER_VECTORS, else shared/vectors beside the source); skipped when there is none.
set -eu
program=$1 directory=${SDPOWER_VECTORS:-$2/../shared/vectors}
shift 2
if [ ! -d "$directory/balance" ]; then
	echo "skipped: no vector directory (set SDPOWER_VECTORS)"
	exit 77
fi
failed=0
for kind; do
	found=0
	for file in "$directory"/*/"$kind".*vec; do
		[ -f "$file" ] || continue
		found=1
		"$program" "$kind" "$file" "$directory/balance/trees.vec" || failed=1
	done
	if [ $found -eq 0 ]; then
		echo "$kind: no file"
		failed=1
	fi
done
exit $failed

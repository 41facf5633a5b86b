#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh OBJDUMP OBJECT...: no read-modify-write and no full fence in the machine code of
# the decisions (x86-64): a lock prefix, an exchange with memory, a compare-and-swap, an
# exchange-and-add or mfence would make a question write, or wait for others.
set -eu
objdump=$1
shift
[ $# -gt 0 ] || { echo "no objects to look at"; exit 1; }
bad=0
for object; do
	"$objdump" -d --no-show-raw-insn "$object" | awk -v object="$object" '
		/^[0-9a-f]+ <.*>:$/ { place = $2 }
		/\t(lock|cmpxchg|xadd|mfence)/ || /[ \t]lock / || /\txchg.*\(/ {
			print object ": " place " " $0
			bad = 1
		}
		END { exit bad }' || bad=1
done
echo "$# objects"
exit $bad

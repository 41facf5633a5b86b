#!/bin/sh
# SPDX-License-Identifier: MIT
# full.sh PROGRAM ROOT: compares every recorded machine below a directory ($SDPOWER_MACHINES,
# else shared/machines beside the source); skipped when there is none.
set -eu
directory=${SDPOWER_MACHINES:-$2/../shared/machines}
if [ ! -d "$directory" ]; then
	echo "skipped: no directory of machines (set SDPOWER_MACHINES)"
	exit 77
fi
exec "$1" "$directory"

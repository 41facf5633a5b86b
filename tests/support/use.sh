#!/bin/sh
# SPDX-License-Identifier: MIT
# use.sh STATUS PATTERN PROGRAM [ARGUMENT...]: the program ends with that status and says, on
# whichever output, a line that matches the pattern.
set -eu
wanted=$1 pattern=$2
shift 2
status=0
output=$("$@" 2>&1 </dev/null) || status=$?
if [ "$status" -ne "$wanted" ]; then
	echo "$*: status $status instead of $wanted"
elif ! echo "$output" | grep -qE "$pattern"; then
	echo "$*: no line matches '$pattern'"
else
	exit 0
fi
echo "$output"
exit 1

#!/bin/sh
# SPDX-License-Identifier: MIT
# readme.sh README SOURCE PROGRAM: the example in the README is the one that is compiled, word
# for word from main on, and running it answers what it is said to.
set -eu
shown=$(awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$1")
compiled=$(sed -n '/^int main/,$p' "$2")
if [ "$shown" != "$compiled" ]; then
	echo "the example of $1 is not that of $2"
	exit 1
fi
answer=$("$3")
if [ "$answer" != "pull tasks of weight 1536 in all, at most, from cpu 0" ]; then
	echo "$3 says: $answer"
	exit 1
fi

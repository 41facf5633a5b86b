#!/bin/sh
# SPDX-License-Identifier: MIT
# levels.sh PROGRAM OWN: the three words on machines with and without parts that could sleep.
. "$(dirname "$0")/lib.sh"

expect 0 levels
says '^powersave +mc=2 smt=2 '
expect 0 levels --rules classic "pack:2 core:4 pu:2"
golden levels.txt
expect 0 levels core:1
says 'nothing to empty'
expect 0 levels --json "numa:2 l3:12 core:8 pu:2"
json '[l["level"] for l in d["levels"]] == ["performance", "balanced", "powersave"]'
json 'not d["levels"][0]["filled"] and d["levels"][2]["filled"]'

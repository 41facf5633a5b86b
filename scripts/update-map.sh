#!/bin/sh
# SPDX-License-Identifier: MIT
# Rewrites the newest version node of the export maps from the functions that the headers
# declare SDPOWER_API. Symbols of older nodes stay where they are.
set -eu
cd "$(dirname "$0")/.."

# The node of the release in the making: major and minor of the version in types.h.
node=SDPOWER_$(awk '/^#define SDPOWER_VERSION_(MAJOR|MINOR) / { printf "%s%s", sep, $3; sep = "." }' \
	include/sdpower/types.h)

# update MAP HEADER...
update()
{
	map=$1
	shift
	tmp=$(mktemp)
	scripts/declared.sh "$@" >"$tmp"
	awk -v node="$node" -v list="$tmp" '
		/^SDPOWER_[0-9.]+ *\{/ { current = $1 == node }
		!current { old = old $0 "\n" }
		!current && /^\tsdpower_/ { sub(/;.*/, ""); sub(/^\t/, ""); known[$0] = 1 }
		!current && /^SDPOWER_/ { parent = " " $1 }
		END {
			printf "%s%s {\nglobal:\n", old, node
			while ((getline name < list) > 0)
				if (!(name in known))
					printf "\t%s;\n", name
			if (parent == "")
				printf "local:\n\t*;\n"
			printf "}%s;\n", parent
		}' "$map" >"$tmp.map"
	cat "$tmp.map" >"$map"
	rm -f "$tmp" "$tmp.map"
}

headers()
{
	awk -v hosted="$1" '/^[a-z]/ && ($1 == "hosted") == hosted { print "include/" $2 }' \
		include/headers.txt
}

# shellcheck disable=SC2046 # no header has a blank in its name
update src/libsdpower.map $(headers 0)
# shellcheck disable=SC2046
[ -z "$(headers 1)" ] || update src/libsdpower-hosted.map $(headers 1)

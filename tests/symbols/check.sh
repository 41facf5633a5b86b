#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh STATIC SHARED MAP HEADER...: the functions declared SDPOWER_API, the names in the
# export map and the symbols of the shared library are the same; the static library defines
# nothing outside the prefix.
set -eu
export LC_ALL=C
static=$1 shared=$2 map=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# complain TEXT FILE: a non-empty file is a failure, listed name by name.
complain()
{
	[ -s "$2" ] || return 0
	echo "$1"
	sed 's/^/    /' "$2"
	failed=1
}

"$SCRIPTS/declared.sh" "$@" >"$work/declared"
sed -n 's/^\t\(sdpower_[a-z0-9_]*\);.*/\1/p' "$map" | sort -u >"$work/map"
"$NM" -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	sort -u >"$work/exported"
"$NM" -g --defined-only "$static" | awk 'NF == 3 && $3 !~ /^sdpower_/ { print $3 }' |
	sort -u >"$work/foreign"

comm -23 "$work/declared" "$work/map" >"$work/unmapped"
comm -13 "$work/declared" "$work/map" >"$work/undeclared"
comm -23 "$work/map" "$work/exported" | comm -12 - "$work/declared" >"$work/undefined"
comm -13 "$work/map" "$work/exported" >"$work/extra"
complain "declared SDPOWER_API but not in $map; run scripts/update-map.sh and commit it:" \
	"$work/unmapped"
complain "in $map but declared in no header of include/headers.txt; run scripts/update-map.sh:" \
	"$work/undeclared"
complain "exported but not in $map:" "$work/extra"
complain "global names without the prefix sdpower_ (static is missing?):" "$work/foreign"
[ $failed -eq 0 ] || exit 1

if [ -s "$work/undefined" ]; then
	echo "skipped: declared SDPOWER_API but defined by no source yet:"
	sed 's/^/    /' "$work/undefined"
	exit 77
fi
echo "$(wc -l <"$work/exported") symbols"

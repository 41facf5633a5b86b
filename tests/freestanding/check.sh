#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh TARGET COMPILER FLAG...: compiles the core sources listed in $SOURCES without any
# header of a C library; fails when one does not compile, when an object has data or bss, or
# when together they need a symbol that TARGET.undefined does not list.
set -eu
export LC_ALL=C
target=$1 cc=$2
shift 2
pinned=$(cd "$(dirname "$0")" && pwd)/$target.undefined
tools=${cc%gcc}
if ! command -v "$cc" >/dev/null; then
	echo "skipped: no $cc (scripts/setup.sh installs it)"
	exit 77
fi
if [ "$cc" = gcc ] && [ "$(uname -m)" != x86_64 ]; then
	echo "skipped: gcc of $(uname -m) has no target $target"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Only atomic_ops.h is taken from the system, never the C library's headers beside it.
mkdir "$work/include" "$work/objects"
ln -s "$ATOMIC_OPS/atomic_ops.h" "$ATOMIC_OPS/atomic_ops" "$work/include/"

failed=0
while read -r source; do
	case $source in
	'') continue ;;
	/*) ;;
	*) source=$ROOT/src/$source ;;
	esac
	object=$(echo "${source#"$ROOT"/src/}" | tr / -)
	"$cc" "$@" -std=c11 -Os -ffreestanding -fno-strict-aliasing -fno-pic -fno-pie -fno-stack-protector \
		-nostdinc -isystem "$("$cc" -print-file-name=include)" \
		-isystem "$ROOT/src/port/freestanding" -isystem "$work/include" \
		-I"$ROOT/include" -I"$ROOT/src" -Wall -Wextra -Wvla -Werror -fstack-usage \
		-c "$source" -o "$work/objects/${object%.c}.o" || failed=1
done <"$SOURCES"
[ $failed -eq 0 ] || exit 1

"${tools}size" -A "$work"/objects/*.o | awk '
	/:$/ { object = $1; sub(/.*\//, "", object) }
	/^(\.data|\.bss|\.tdata|\.tbss|COMMON)/ && $2 > 0 {
		printf "%s: %s holds %d bytes; the core has no global variables\n", object, $1, $2
		bad = 1
	}
	END { exit bad }' || failed=1

"${tools}nm" -g "$work"/objects/*.o >"$work/symbols"
awk 'NF == 2 && $1 == "U" { print $2 }' "$work/symbols" | sort -u >"$work/used"
awk 'NF == 3 { print $3 }' "$work/symbols" | sort -u >"$work/defined"
comm -23 "$work/used" "$work/defined" >"$work/undefined"
sed '/^#/d; /^$/d' "$pinned" | sort -u >"$work/pinned"
comm -23 "$work/undefined" "$work/pinned" >"$work/new"
if [ -s "$work/new" ]; then
	echo "needed on $target but not in ${pinned#"$ROOT/"}:"
	while read -r symbol; do
		echo "    $symbol, by $("${tools}nm" -gA "$work"/objects/*.o |
			awk -v s="$symbol" '$NF == s && $(NF - 1) == "U" {
				sub(/:.*/, ""); sub(/.*\//, ""); print }' | tr '\n' ' ')"
	done <"$work/new"
	echo "write the code without it, or add it to the list when every port has it"
	failed=1
fi
"${tools}size" "$work"/objects/*.o | awk -v target="$target" '
	NR > 1 { text += $1 } END { printf "%s: %d bytes of code and constants\n", target, text }'
cat "$work"/objects/*.su | sort -t"$(printf '\t')" -k2 -rn | awk -F'\t' 'NR == 1 {
	sub(/.*:/, "", $1); printf "largest stack frame: %d bytes, %s\n", $2, $1 }'
echo "undefined: $(tr '\n' ' ' <"$work/undefined")"
exit $failed

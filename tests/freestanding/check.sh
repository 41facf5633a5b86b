#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh TARGET COMPILER FLAG...: compiles the core sources listed in $SOURCES without any
# header of a C library; fails when one does not compile, when an object has data or bss, or
# when together they need a symbol that TARGET.undefined does not list. With $PORTING, also when they
# have grown or shrunk by a tenth against what that document says.
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
# is_about WHAT BYTES: the document says so many KB of WHAT, or a tenth more or less.
is_about()
{
	says=$(tr '\n' ' ' <"$PORTING" | sed -n "s/.*$1[^0-9]* about \([0-9]*\) KB.*/\1/p")
	[ "$(($2 * 10))" -ge "$((${says:-0} * 9000))" ] && [ "$(($2 * 10))" -le "$((${says:-0} * 11000))" ] && return
	echo "${PORTING##*/} says about ${says:-?} KB of \"$1\", but it is $2 bytes"
	failed=1
}

bytes_of()
{
	"${tools}size" "$@" | awk 'NR > 1 { text += $1 } END { print text }'
}

all=$(bytes_of "$work"/objects/*.o)
echo "$target: $all bytes of code and constants"
if [ -n "${PORTING:-}" ]; then
	is_about 'All objects together' "$all"
	set -- "$@" -nostdlib -Wl,--gc-sections,--unresolved-symbols=ignore-all,-e,0
	for call in memory_needed init set_load idle_enter idle_exit tick select_cpu claim \
		find_busiest_group; do
		set -- "$@" "-Wl,-u,sdpower_$call"
	done
	"$cc" "$@" "$work"/objects/*.o -lgcc -o "$work/image"
	is_about 'An image that links only' "$(bytes_of "$work/image")"
fi
cat "$work"/objects/*.su | sort -t"$(printf '\t')" -k2 -rn | awk -F'\t' 'NR == 1 {
	sub(/.*:/, "", $1); printf "largest stack frame: %d bytes, %s\n", $2, $1 }'
echo "undefined: $(tr '\n' ' ' <"$work/undefined")"
exit $failed

# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# For the tests of the command: SCRIPT PROGRAM OWN, where OWN is the folder of machines made up
# for tests. Each case is one line, and says itself what it expected and got.
set -eu
export LC_ALL=C
unset NO_COLOR
program=$1 own=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd)

die()
{
	echo "FAIL: $*" >&2
	exit 1
}

# expect CODE ARGUMENT...: runs the command, leaves $work/out and $work/err.
expect()
{
	code=$1
	shift
	got=0
	"$program" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
	[ "$got" = "$code" ] || die "sdpower $* ended with $got, not $code: $(cat "$work/err")"
	! grep -q "$(printf '\033')" "$work/out" || die "sdpower $*: colour in a pipe"
}

# says PATTERN, complains PATTERN: the last run did so on standard output, on standard error.
says()
{
	grep -qE -- "$1" "$work/out" || die "no line like '$1' in: $(cat "$work/out")"
}

complains()
{
	grep -qE -- "$1" "$work/err" || die "no line like '$1' on standard error: $(cat "$work/err")"
}

# golden NAME: the last run printed exactly this file.
golden()
{
	diff "$here/golden/$1" "$work/out" >"$work/diff" || die "not as in golden/$1: $(cat "$work/diff")"
}

# json EXPRESSION: the last run printed a document, and this is true of it.
json()
{
	if ! command -v python3 >/dev/null; then
		echo "no python3: the document is not looked at"
		return
	fi
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert eval(sys.argv[2]), sys.argv[2]' "$work/out" "$1" ||
		die "not true of the document: $1: $(cat "$work/out")"
}

# picture: the last run printed well-formed XML.
picture()
{
	head -n 1 "$work/out" | grep -q '^<svg ' || die "no picture: $(head -n 3 "$work/out")"
	tail -n 1 "$work/out" | grep -q '^</svg>$' || die "the picture has no end"
	if command -v python3 >/dev/null; then
		python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$work/out" ||
			die "the picture is no XML"
	fi
}

#!/bin/sh
# SPDX-License-Identifier: MIT
# manual.sh PROGRAM OWN SOURCE: every command and option is in the manual, which is well-formed.
. "$(dirname "$0")/lib.sh"
page=$3/sdpower.1

expect 0 --help
for command in $(sed -n 's/^  \([a-z]*\)  .*/\1/p' "$work/out"); do
	grep -q "^\.Ss $command" "$page" || die "the manual has no section $command"
	expect 0 "$command" --help
	cp "$work/out" "$work/help"
	for option in $(sed -n 's/^  -., --\([a-z]*\).*/\1/p' "$work/help"); do
		grep -q -- "--$option\\b\\|\\\\-\\\\-$option\\b\\|Fl -$option\\b" "$page" ||
			die "the manual does not name --$option"
	done
done
for code in 0 1 2 3 4; do
	grep -q "^\.It $code\$" "$page" || die "the manual does not explain exit code $code"
done

if command -v mandoc >/dev/null; then
	mandoc -T lint -W warning "$page" >"$work/lint" || die "mandoc: $(cat "$work/lint")"
fi
if command -v groff >/dev/null; then
	groff -mdoc -ww -z -T utf8 "$page" 2>"$work/lint"
	[ ! -s "$work/lint" ] || die "groff: $(cat "$work/lint")"
fi
command -v mandoc >/dev/null || command -v groff >/dev/null || echo "no mandoc, no groff: not linted"

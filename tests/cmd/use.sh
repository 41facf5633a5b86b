#!/bin/sh
# SPDX-License-Identifier: MIT
# use.sh PROGRAM OWN: options, exit codes, colour, and what happens to a full disk.
. "$(dirname "$0")/lib.sh"

expect 2
complains 'a command is missing'
expect 2 nonsense
complains 'unknown command "nonsense"'
expect 0 --version
says '^sdpower [0-9]+\.[0-9]+\.[0-9]+$'
expect 0 --help
says '^  topo '
for command in $(sed -n 's/^  \([a-z]*\)  .*/\1/p' "$work/out"); do
	expect 0 "$command" --help
	says "^usage: sdpower $command"
	says '--json'
	expect 2 "$command" --nonsense
	complains "$command: unknown option --nonsense"
done
expect 2 topo --rules
complains 'needs a value'
expect 2 topo --rules nonsense
complains 'wrong value for --rules: "nonsense"'
expect 0 domains --rules native core:2
expect 2 topo --mc 3
expect 2 topo --mc -1
expect 2 topo --mc 1x
expect 2 topo --level balanced --mc 1
complains 'already says'
expect 2 topo --json --svg
complains 'one form'
expect 2 topo core:1 core:2
complains 'unexpected "core:2"'

if [ -e /dev/full ]; then
	got=0
	"$program" topo core:2 >/dev/full 2>"$work/err" || got=$?
	[ "$got" = 4 ] || die "a full disk ends with $got"
	complains 'writing the output failed'
fi

# Colour: never in a pipe (lib.sh looks at every run), always when asked for.
"$program" topo --color=always core:2 | grep -q "$(printf '\033\\[')" || die "no colour with always"
expect 0 topo --color=never core:2
expect 2 topo --color=green core:2

# On a terminal unless NO_COLOR says otherwise; script(1) makes one.
if command -v script >/dev/null; then
	on_terminal()
	{
		script -qec "env $1 TERM=xterm '$program' topo core:2" /dev/null </dev/null |
			grep -c "$(printf '\033\\[')" || :
	}
	[ "$(on_terminal A=1)" -gt 0 ] || die "no colour on a terminal"
	[ "$(on_terminal NO_COLOR=1)" = 0 ] || die "colour although NO_COLOR is set"
else
	echo "no script(1): terminals are not tried"
fi

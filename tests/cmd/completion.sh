#!/bin/sh
# SPDX-License-Identifier: MIT
# completion.sh PROGRAM OWN SOURCE: each shell completes exactly the commands there are, and of each
# exactly the options that its help names. The files are read; shells that are there also try them.
. "$(dirname "$0")/lib.sh"
folder=$3/completion

# same SHELL WHAT: what it completes is what the help says.
same()
{
	sort -u "$work/completed" | diff "$work/wanted" - >"$work/diff" ||
		die "$1, $2 (< the help, > completed): $(cat "$work/diff")"
}

# The options of a command, as the files for zsh and fish write them down: --NAME -LETTER.
zsh_options()
{
	names="$(sed -n "s/^	$1) names='\(.*\)' ;;\$/\1/p" "$folder/sdpower.zsh") json color help"
	for name in $names; do
		sed -n "s/^		$name '\(.\)\[.*/--$name -\1/p" "$folder/sdpower.zsh"
	done
}

fish_options()
{
	knobs=$(sed -n 's/^set -l knobs //p' "$folder/sdpower.fish")
	sed -n "s/\$knobs/$knobs/
		/__fish_seen_subcommand_from/ { /seen_subcommand_from[^\"']* $1[ \"']/!d; }
		s/^complete .*-l \([a-z]*\) -s \(.\) .*/--\1 -\2/p" "$folder/sdpower.fish"
}

bash_words()
{
	bash -c '. "$1"; shift; COMP_WORDS=(sdpower "$@"); COMP_CWORD=$#; _sdpower
		printf "%s\n" "${COMPREPLY[@]}"' bash "$folder/sdpower.bash" "$@"
}

# What the function tells _arguments, in place of which stands a printer.
zsh_words()
{
	zsh -fc '_arguments() { print -rl -- "$@" }; file=$1; shift; words=(sdpower "$@")
		CURRENT=$#words; . $file' zsh "$folder/sdpower.zsh" "$@"
}

fish_words()
{
	HOME=$work fish --no-config -c "source '$folder/sdpower.fish'; complete -C 'sdpower $*'"
}

expect 0 --help
sed -n 's/^  \([a-z]*\)  .*/\1/p' "$work/out" | sort >"$work/wanted"
commands=$(cat "$work/wanted")
sed -n "s/^		'\([a-z]*\):.*/\1/p" "$folder/sdpower.zsh" >"$work/completed"
same zsh commands
sed -n 's/^set -l commands //p' "$folder/sdpower.fish" | tr ' ' '\n' >"$work/completed"
same fish commands
if command -v bash >/dev/null; then
	bash_words '' | grep -v '^--' >"$work/completed"
	same bash commands
fi

for command in $commands; do
	expect 0 "$command" --help
	sed -n 's/^  -\(.\), --\([a-z]*\).*/--\2 -\1/p' "$work/out" | sort >"$work/wanted"
	zsh_options "$command" >"$work/completed"
	same zsh "$command"
	fish_options "$command" >"$work/completed"
	same fish "$command"
	if command -v zsh >/dev/null; then
		zsh_words "$command" '' | sed -n 's/^(-\(.\) --\([a-z]*\)).*/--\2 -\1/p' >"$work/completed"
		same "zsh itself" "$command"
	fi
	sed -i 's/ .*//' "$work/wanted"
	if command -v bash >/dev/null; then
		bash_words "$command" -- >"$work/completed"
		same bash "$command"
	fi
	if command -v fish >/dev/null; then
		fish_words "$command" -- | sed 's/	.*//' >"$work/completed"
		same "fish itself" "$command"
	fi
done

#!/bin/sh
# SPDX-License-Identifier: MIT
# falsify.sh PROGRAM DATA KIND...: changes one expected field of a record, cuts a line short,
# and empties a file; each must make the replay fail. Every position of the answer is tried.
set -eu
program=$1 data=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$data/trees.vec" "$work/trees.vec"
failed=0 tried=0

# must_fail KIND WHAT
must_fail()
{
	tried=$((tried + 1))
	if "$program" "$1" "$work/one.vec" >"$work/out" 2>&1; then
		echo "$1: not noticed: $2"
		failed=1
	fi
}

# change KIND FIELD: one.vec gets field FIELD of the last line changed.
change()
{
	awk -v field="$2" '
		{ line[NR] = $0 }
		END {
			for (i = 1; i < NR; i++)
				print line[i]
			n = split(line[NR], token, " ")
			token[field] = token[field] ~ /^-?[0-9]$/ ? token[field] + 3 : "1" token[field]
			for (i = 1; i <= n; i++)
				printf "%s%s", token[i], i < n ? " " : "\n"
		}' "$work/good.vec" >"$work/one.vec"
}

# positions KIND: the fields of the last line that are compared. Reciprocal columns are not.
positions()
{
	awk -v kind="$1" '
		{ last = $0 }
		END {
			n = split(last, token, " ")
			first = 2
			for (i = 1; i <= n; i++)
				if (token[i] == "=" || token[i] == "=>")
					first = i + 1
			if (kind == "imbalance")
				first = n - 1
			for (i = first; i <= n; i++)
				if (!(kind == "idlest" && (i == first || i == first + 4)))
					print i
		}' "$work/good.vec"
}

# loops N: of a closed loop every move, nomination and final state, one after the other: with its
# last field changed, and left out.
loops()
{
	awk '$1 ~ /^[mnqd]$/ { print NR }' "$work/good.vec" >"$work/lines"
	while read -r line; do
		awk -v line="$line" 'NR == line { $NF = $NF + 1 } { print }' "$work/good.vec" >"$work/one.vec"
		must_fail loop "record $1, end of line $line"
		sed "${line}d" "$work/good.vec" >"$work/one.vec"
		must_fail loop "record $1 without line $line"
	done <"$work/lines"
}

# record KIND N: good.vec is the Nth record of the spread, and ends with what is expected.
record()
{
	awk -v kind="$1" -v wanted="$2" '
		BEGIN {
			split("fbg F cpuload U loop L machine Q newidle S walk V", name, " ")
			head = "."
			for (i = 1; i in name; i += 2)
				if (name[i] == kind)
					head = name[i + 1]
		}
		head == "." { n++ }
		head != "." && $1 == head { n++ }
		n == wanted { print }
		n > wanted { exit }' "$data/$1.vec" >"$work/good.vec"
}

# answers N: in good.vec, newidle record N, appends a digit to each field of each answer in turn,
# then leaves the field out: what a sequence did on its way counts as much as how it ended.
answers()
{
	awk '$1 == "=" { for (i = 2; i <= NF; i++) print NR, i }' "$work/good.vec" >"$work/answers"
	while read -r line field; do
		for digit in 1 ''; do
			awk -v line="$line" -v field="$field" -v digit="$digit" '
				NR == line { $field = digit == "" ? "" : $field digit }
				{ print }' "$work/good.vec" >"$work/one.vec"
			must_fail newidle "record $1, line $line, field $field, digit '$digit'"
		done
	done <"$work/answers"
}

# migration_answers: every answer of the migration records, as its line and field; field 0 is a
# printed line, or one that must not be left out.
migration_answers()
{
	awk '
		!inside { head = $1; inside = head ~ /^[TSX]$/ }
		inside && $1 != head && $1 ~ /^[PMCHLNRWvx]$/ { print NR, 0 }
		{
			first = $1 ~ /^[PMCLNRW]$/ || (head == "T" && $1 == "H") ? 2 : NF + 1
			for (i = 2; i <= NF && head ~ /^[OFHK]$/; i++)
				if ($i == "R")
					first = i + 1
			for (i = first; i <= NF; i++)
				print NR, i
			if ($1 == "v")
				print NR, 2
		}
		$1 == "E" { inside = 0 }' "$work/good.vec"
}

# migrations: changes each of them in turn by a digit, and leaves it out.
migrations()
{
	cp "$data/migration.vec" "$work/good.vec"
	migration_answers >"$work/answers"
	while read -r line field; do
		for digit in 1 ''; do
			awk -v line="$line" -v field="$field" -v digit="$digit" '
				NR == line && field { $field = digit == "" ? "" : $field digit }
				NR == line && !field && digit == "" { next }
				NR == line && !field && /[[]/ { sub(/[[(][0-9]/, "&1") }
				NR == line && !field && !/[[]/ { $0 = $0 " 0|" }
				{ print }' "$work/good.vec" >"$work/one.vec"
			must_fail migration "line $line, field $field, digit '$digit'"
		done
	done <"$work/answers"
	: >"$work/one.vec"
	must_fail migration "an empty file"
}

for kind; do
	if [ "$kind" = migration ]; then
		migrations
		continue
	fi
	for n in 1 5 9 13 17 250 300 350; do
		record "$kind" $n
		[ -s "$work/good.vec" ] || continue
		if ! "$program" "$kind" "$work/good.vec" >"$work/out" 2>&1; then
			echo "$kind: record $n alone fails:"
			cat "$work/out"
			failed=1
		fi
		[ "$kind" != newidle ] || answers $n
		for field in $(positions "$kind"); do
			change "$kind" "$field"
			must_fail "$kind" "record $n, field $field"
		done
		[ "$kind" != loop ] || loops $n
		sed '$s/ [^ ]*$//' "$work/good.vec" >"$work/one.vec"
		must_fail "$kind" "record $n without its last field"
		sed '$s/$/ 0/' "$work/good.vec" >"$work/one.vec"
		must_fail "$kind" "record $n with a field too many"
		sed '$s/ [^ ]*$/ x/' "$work/good.vec" >"$work/one.vec"
		must_fail "$kind" "record $n with a word for a number"
	done
	: >"$work/one.vec"
	must_fail "$kind" "an empty file"
done
# tree LETTER N: changes every field of the Nth line of that kind in trees.vec in turn, and adds
# one. The names of a tree (fields 3 and 10) only repeat what the numbers say.
tree()
{
	line=$(awk -v letter="$1" -v wanted="$2" '$1 == letter && ++n == wanted { print NR }' "$data/trees.vec")
	fields=$(awk -v line="$line" 'NR == line { print NF + 1 }' "$data/trees.vec")
	field=0
	while [ $((field += 1)) -le "$fields" ]; do
		case $1$field in T3 | T10) continue ;; esac
		awk -v line="$line" -v field="$field" '
			NR == line { $field = $field ~ /^[0-9]$/ ? $field + 1 : "1" $field }
			{ print }' "$data/trees.vec" >"$work/trees.vec"
		must_fail ilb "$1 line $2 of trees.vec, field $field"
	done
}

case " $* " in *" ilb "*)
	record ilb 1
	cp "$work/good.vec" "$work/one.vec"
	for n in 15 40; do
		tree T $n
		tree L $n
		tree S $n
	done
esac
echo "$tried falsified files"
[ $tried -gt 0 ] || failed=1
exit $failed

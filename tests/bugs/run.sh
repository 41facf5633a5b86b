#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh [NAME...]: plants the bugs of *.txt, all or the named ones, one at a time into a copy
# of the tree, and tells which test notices. A bug that none does, or an edit that no longer
# applies, is a failure. run.sh --apply only sees whether the edits apply, which takes
# seconds. The full sets of records are used where they are found (SDPOWER_VECTORS,
# SDPOWER_MACHINES, else ../shared beside the source).
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
cat tests/bugs/*.txt >"$work/list"
jobs=${JOBS:-$(nproc)}

# Tests of the library and its hosted part.
all='^(unit|vectors|machines|model|native|flaws|loops)'
# Those that look at text or packaging instead of behaviour.
skip='^(install|consumers|freestanding|symbols|docs|style|layers|headers)|falsified|^bench'
: "${SDPOWER_VECTORS:=$root/../shared/vectors}" "${SDPOWER_MACHINES:=$root/../shared/machines}"
export SDPOWER_VECTORS SDPOWER_MACHINES
mkdir "$work/tree"
apply=no
if [ "${1-}" = --apply ]; then
	apply=yes
	shift
	cp -R src examples "$work/tree"
else
	git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - |
		tar -xf - -C "$work/tree"
fi
cd "$work/tree" || exit 1
ln -s "$root/../shared" ../shared

# build DIRECTORY [TARGET...]
build()
{
	directory=$1
	shift
	ninja -C "$directory" -j "$jobs" "$@" >"$work/build.log" 2>&1
}

# probe DIRECTORY REGEX: prints the tests that fail, nothing when all pass.
probe()
{
	ctest --test-dir "$1" -R "$2" -E "$skip" -j "$jobs" --timeout 60 --stop-on-failure \
		--no-tests=error >"$work/ctest.log" 2>&1 && return
	sed -n 's/^[ \t]*[0-9]* - \([^ ]*\) (.*/\1/p' "$work/ctest.log" | tr '\n' ' '
	grep -q 'tests failed out of' "$work/ctest.log" || echo 'no test ran'
}

# field NAME KEY: the rest of the line that begins with KEY in the record of a bug.
field()
{
	awk -v name="$1" -v key="$2" '
		$1 == "bug" { mine = $2 == name }
		mine && index($0, key " ") == 1 { print substr($0, length(key) + 2); exit }' "$work/list"
}

# plant NAME: 1 when the old text is not there exactly once (behind the line named by "at").
plant()
{
	file=$(field "$1" in)
	cp "$file" "$work/good" || return 1
	at=$(field "$1" at) old=$(field "$1" -) new=$(field "$1" +) awk '
		BEGIN { at = ENVIRON["at"]; old = ENVIRON["old"]; new = ENVIRON["new"]; open = at == "" }
		!open && index($0, at) { open = 1 }
		open && !done && (place = index($0, old)) {
			$0 = substr($0, 1, place - 1) new substr($0, place + length(old))
			done = 1
		}
		{ print }
		END { exit !done }' "$work/good" >"$file"
}

# near FILE: the tests of a source's own layer; most bugs need no other to be noticed.
near()
{
	case $1 in
	src/topology/*) echo linux_cpus linux_parts linux_limits linux_modes cpulist topo_text synthetic table ;;
	src/decide/trace.c) echo trace ;;
	src/state/counters_write.c) echo driver_random ;;
	src/decide/newidle*) echo newidle_state newidle_cost newidle_walk newidle_pass newidle_random newidle_dq ;;
	src/decide/dq*) echo dq dq_random newidle_dq ;;
	src/tree/*) echo modern domain templates near order instance swap model_tree ;;
	*/policy*) echo policy policy_loop ;;
	src/hosted/calibrate*) echo calibrate_script calibrate_turns calibrate_parts calibrate_faults ;;
	*/curve*) echo curve curve_model ;;
	*/calibration* | */costs.*) echo calibration calibration_use ;;
	*/search.*) echo search ;;
	*/tunables.*) echo tunables ;;
	*/native_energy.* | */native_fit.* | */native_pack.* | */native_plan.*)
		echo native_plan native_fit native_energy native_pack
		;;
	*/native_level.* | */native_push.*) echo native_level native_driver ;;
	*/native_home.* | */native_ilb.* | */native_margin.* | */native_place.* | */native_seek.* | */native_wake.*)
		echo native_seek native_wake native_place native_random native_energy
		;;
	*/native*) echo native_ask native_busiest native_sums model_native ;;
	*/util.*) echo util ;;
	*) echo state queries instance model ;;
	esac
}

# Library and hosts: near tests first, then all of them. A failed build ends as "no test ran".
notice_in_core()
{
	names=$(near "$1")
	targets=$(for n in $names; do echo "test_$n"; done)
	# shellcheck disable=SC2086 # a list
	build core $targets || return
	by=$(probe core "^(unit.)?($(echo "$names" | tr ' _' '|.'))\$")
	[ -z "$by" ] || return 0
	build core || return
	by=$(probe core "$all")
}

notice_in_command()
{
	build core && by=$(probe core '^cmd')
}

# A race may need a few goes.
notice_in_pool()
{
	build pool || return
	for _ in 1 2 3; do
		by=$(probe pool '^pool')
		[ -z "$by" ] || return 0
	done
}

try()
{
	case $(field "$1" in) in
	examples/*) notice=notice_in_pool ;;
	src/cmd/*) notice=notice_in_command ;;
	*) notice=notice_in_core ;;
	esac
	if ! plant "$1"; then
		echo "$1: the edit does not apply"
	elif ! $notice "$file"; then
		echo "$1: does not compile"
	elif [ -n "$by" ]; then
		echo "$1: noticed by $by"
		passed=$((passed + 1))
	else
		echo "$1: NOT NOTICED ($file)"
	fi
	tried=$((tried + 1))
	cp "$work/good" "$file"
}

# prepare DIRECTORY EXAMPLES REGEX: a build in which those tests pass.
prepare()
{
	cmake -S . -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 \
		-DSDPOWER_SHARED=OFF -DSDPOWER_INSTALL=OFF -DSDPOWER_DOCS=OFF \
		-DSDPOWER_EXAMPLES="$2" >"$work/build.log" 2>&1 && build "$1" || {
		tail -n 20 "$work/build.log"
		exit 1
	}
	by=$(probe "$1" "$3")
	[ -z "$by" ] || {
		echo "without any bug these fail: $by"
		exit 1
	}
}

[ $# -gt 0 ] || set -- $(awk '$1 == "bug" { print $2 }' "$work/list")
passed=0 tried=0 core=no pool=no
for name; do
	case $(field "$name" in) in
	examples/*) pool=yes ;;
	*) core=yes ;;
	esac
done
if [ $apply = yes ]; then
	for name; do
		if plant "$name"; then
			passed=$((passed + 1))
		else
			echo "$name: the edit does not apply"
		fi
		tried=$((tried + 1))
		cp "$work/good" "$file"
	done
	echo "$passed of $tried edits apply"
	[ $passed -eq $tried ]
	exit
fi
[ $core = no ] || prepare core OFF "$all"
[ $pool = no ] || prepare pool ON '^pool'
for name; do
	try "$name"
done
echo "$passed passed, $((tried - passed)) failed"
[ $passed -eq $tried ]

#!/bin/sh
# SPDX-License-Identifier: MIT
# program.sh PROGRAM: exit codes, tables, JSON and an interruption of sdpower-pool.
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

die() {
	echo "FAIL: $*" >&2
	exit 1
}

# expect CODE ARGUMENT...: runs the program, leaves $work/out and $work/err.
expect() {
	code=$1
	shift
	got=0
	"$program" "$@" >"$work/out" 2>"$work/err" || got=$?
	[ "$got" = "$code" ] || die "$* ended with $got, not $code: $(cat "$work/err")"
}

mkdir "$work/in"
echo 'a small file' >"$work/in/small"
: >"$work/in/empty"
mkfifo "$work/in/pipe"
head -c 900000 /dev/urandom >"$work/in/large \"quoted\""

expect 0 --help
grep -q -- --max-bytes "$work/out" || die "--help does not name --max-bytes"
expect 0 --version
expect 2 --level nonsense
expect 2 --newidle k515x
expect 2 --threads 1x
expect 2 --threads 0
grep -q '1 worker or more' "$work/err" || die "--threads 0: $(cat "$work/err")"
expect 2 surplus
expect 1 --input "$work/none"

expect 0 --input "$work/in"
for word in performance balanced powersave modelled\\\|measured 'worker 0' 'core 0' 'package 0'; do
	grep -q "$word" "$work/out" || die "no $word in: $(cat "$work/out")"
done
grep -q '^package 0 was busy [0-9]* % (performance), .* (powersave) of the time$' "$work/out" ||
	die "no share of the package: $(cat "$work/out")"
tail -n 1 "$work/out" | grep -q '^In short: against performance, powersave took [0-9]* % ' ||
	die "nothing concludes: $(cat "$work/out")"
[ ! -s "$work/err" ] || die "progress without a terminal: $(cat "$work/err")"
expect 0 --input "$work/in" --level powersave --threads 1 --jobs 1
! grep -q performance "$work/out" || die "a level that was not asked for"

# An error is told once, with its place and without a level that has nothing to do with it.
expect 2 --input "$work/in" --topology 'pack:2 nonsense:4'
echo 'sdpower-pool: --topology: pack:2 nonsense:4: column 8: unknown type' | cmp -s - "$work/err" ||
	die "a wrong string: $(cat "$work/err")"
expect 2 --input "$work/in" --topology "$work/none.topo"
[ "$(grep -o 'none\.topo' "$work/err" | wc -l)" = 1 ] || die "a missing file: $(cat "$work/err")"
echo 'no tab' >"$work/broken.topo"
expect 2 --input "$work/in" --topology "$work/broken.topo"
grep -q 'broken.topo: line 1: ' "$work/err" || die "a broken file: $(cat "$work/err")"

# Costs of this very machine are used, those of another one refused.
head='sdpower calibration 1'
printf '%s\ntree 0123456789abcdef 0 100 0\nend\n' "$head" >"$work/costs"
expect 2 --input "$work/in" --topology core:2 --costs "$work/costs"
grep -q "^sdpower-pool: --costs: $work/costs: .*another tree" "$work/err" || die "$(cat "$work/err")"
[ ! -s "$work/out" ] || die "results of refused costs"
expect 2 --input "$work/in" --costs "$work/in/small"
grep -q 'small: line 1: ' "$work/err" || die "a file that holds no costs: $(cat "$work/err")"
expect 2 --input "$work/in" --costs "$work/none"
expect 0 --input "$work/in" --topology 'pack:2 core:2'
grep -q '^costs    1.0 us (assumed), 10.0 us (assumed) to move' "$work/out" || die "$(cat "$work/out")"

expect 1 --input "$work/in" --trace "$work/none/trace"

mkdir "$work/nothing"
expect 0 --input "$work/nothing" --topology 'core:2'
grep -q '^NOTE  *one package' "$work/out" || die "no note of the only package"
awk '/^performance/ && $2 == "0.000" && ($4 != "-" || $(NF - 1) != "-") { exit 1 }' "$work/out" ||
	die "rates of no time: $(cat "$work/out")"
expect 0 --input "$work/in" --topology 'pack:2 core:40 pu:2' --jobs 3
grep -q 'virtual machine of 160 cpus' "$work/out" || die "a virtual machine is not called one"
grep -q 'worker 159' "$work/out" || die "no worker 159"
! grep -q 'one package' "$work/out" || die "two packages are called one"

if command -v python3 >/dev/null; then
	for arguments in '--threads 3' '--level balanced --max-bytes 300K' '--jobs 2' \
		'--topology core:3' '--newidle k619'; do
		# shellcheck disable=SC2086 # the words are arguments
		expect 0 --json --input "$work/in" $arguments
		python3 - "$work/out" <<-'EOF' || die "JSON of $arguments: $(cat "$work/out")"
			import json, sys
			report = json.load(open(sys.argv[1]))
			assert report["complete"] and report["runs"]
			for run in report["runs"]:
			    assert run["results"]["same"] and run["elapsed_s"] > 0
			    assert run["results"]["bytes_in"] == report["input"]["bytes"]
			    assert len(run["workers"]) == report["machine"]["workers"]
			    assert len(run["cores"]) == report["machine"]["cores"]
			    assert len(run["packages"]) == report["machine"]["packages"]
			    for name in "tasks", "searches", "searches_found", "steals", "migrations", "wakeups":
			        assert run[name] == sum(w[name] for w in run["workers"]), name
			    energy = run["energy"]
			    assert energy["joules"] > 0 or energy["measured"]
			    product = energy["average_watts"] * run["elapsed_s"]
			    assert abs(product - energy["joules"]) < 0.01
		EOF
	done
	expect 0 --input "$work/in" --threads 2 --level powersave --trace "$work/trace"
	python3 - "$work/trace" <<-'EOF' || die "the trace"
		import json, sys
		events = json.load(open(sys.argv[1]))["traceEvents"]
		names = [e["args"]["name"] for e in events if e["name"] == "thread_name"]
		assert len(names) == 2 and names[0].startswith("worker 0, cpu 0"), names
		# Three files; the large one in four pieces.
		assert sum(e["name"] == "run" for e in events) in range(3, 12)
		# Whether anybody sleeps in so short a run is up to the system.
		kinds = {"run", "sleep", "look", "steal", "wake"}
		assert all(e["name"] in kinds for e in events if e["ph"] in "Xi")
		for worker in 0, 1:
		    mine = [e for e in events if e["ph"] == "X" and e["tid"] == worker]
		    apart = sorted((e["ts"], e["ts"] + e["dur"], e["name"]) for e in mine if e["name"] != "run")
		    for before, after in zip(apart, apart[1:]):
		        assert before[1] <= after[0] + 0.001, (before, after)
	EOF
fi

# A file with a hole: far more work than the second before the signal allows.
truncate -s 50G "$work/in/huge"
"$program" --input "$work/in" --max-bytes 0 >"$work/out" 2>"$work/err" &
pid=$!
sleep 1
kill -TERM "$pid"
got=0
wait "$pid" || got=$?
[ "$got" = 130 ] || die "interrupted run ended with $got"
grep -q interrupted "$work/err" || die "interruption is not reported"

#!/bin/sh
# SPDX-License-Identifier: MIT
# samples.sh PROGRAM OWN RECORD SAMPLES: what lies in examples/samples is what examples/record.c prints
# today, and what the README promises of it holds.
. "$(dirname "$0")/lib.sh"
record=$3 samples=$4

for what in waiting.snapshot wakeup.snapshot before.counters after.counters; do
	"$record" "${what%.*}" | cmp - "$samples/$what" || die "examples/record.c prints another $what"
done
expect 0 replay --record "$samples/waiting.snapshot" "$samples/wakeup.snapshot"
cmp "$work/out" "$samples/decisions.trace" || die "the answers are others than in decisions.trace"
expect 0 replay "$samples/decisions.trace"
says ': 2 records, every answer the same$'

expect 0 explain "$samples/waiting.snapshot"
says 'pull nothing, work is left to an unused cpu nearer to it \(partly idle group\); local'
says '^  recorded +performance .* pull 1536 from cpu 1 '
expect 0 explain --json "$samples/waiting.snapshot"
json 'd["waiting"] and not d["variants"][0]["waiting"]'
expect 0 explain "$samples/wakeup.snapshot"
expect 0 stats "$samples/before.counters" "$samples/after.counters"
says 'alb_pushed [1-9]'

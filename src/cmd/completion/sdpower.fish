# SPDX-License-Identifier: MIT
# Completion of sdpower for fish.
set -l commands topo check domains levels explain replay stats calibrate
complete -c sdpower -n "not __fish_seen_subcommand_from $commands" -f -a "$commands"
complete -c sdpower -n "not __fish_seen_subcommand_from $commands" -l version -d 'print the version'
complete -c sdpower -l help -s h -d 'explain a command'
complete -c sdpower -l json -s j -d 'print one JSON document'
complete -c sdpower -l color -s C -x -a 'auto always never' -d 'when to use colour'
set -l knobs topo domains
complete -c sdpower -n "__fish_seen_subcommand_from $knobs levels calibrate" -l rules -s r -x \
	-a 'default classic classic-30 reverted modern native' -d 'set of rules'
complete -c sdpower -n "__fish_seen_subcommand_from $knobs" -l level -s l -x \
	-a 'performance balanced powersave' -d 'power level'
complete -c sdpower -n "__fish_seen_subcommand_from $knobs" -l mc -s m -x -a '0 1 2' -d 'multi-core knob'
complete -c sdpower -n "__fish_seen_subcommand_from $knobs" -l smt -s s -x -a '0 1 2' -d 'thread knob'
complete -c sdpower -n '__fish_seen_subcommand_from topo' -l dot -s d -d 'draw for Graphviz'
complete -c sdpower -n '__fish_seen_subcommand_from topo calibrate' -l svg -s v -d 'draw a picture'
complete -c sdpower -n '__fish_seen_subcommand_from topo' -l summary -s S -d 'one line a machine'
complete -c sdpower -n '__fish_seen_subcommand_from topo domains replay' -l all -s a -d 'leave nothing out'
complete -c sdpower -n '__fish_seen_subcommand_from check replay' -l quiet -s q -d 'say only what is wrong'
complete -c sdpower -n '__fish_seen_subcommand_from check calibrate' -l strict -s W -d 'take warnings as errors'
complete -c sdpower -n '__fish_seen_subcommand_from domains' -l cpu -s c -x -d 'only this cpu'
complete -c sdpower -n '__fish_seen_subcommand_from domains levels' -l costs -s K -r -d 'tell costs kept there'
complete -c sdpower -n '__fish_seen_subcommand_from replay' -l record -s R -d 'write a trace'
complete -c sdpower -n '__fish_seen_subcommand_from calibrate' -l csv -s f -d 'print a table'
complete -c sdpower -n '__fish_seen_subcommand_from calibrate' -l line -s i -d 'print the option line'
complete -c sdpower -n '__fish_seen_subcommand_from calibrate' -l keep -s k -d 'print the result to be loaded'
complete -c sdpower -n '__fish_seen_subcommand_from calibrate' -l load -s L -r -d 'show a kept result'
complete -c sdpower -n '__fish_seen_subcommand_from calibrate' -l points -s P -d 'print every size, too'
complete -c sdpower -n '__fish_seen_subcommand_from calibrate' -l percent -s p -x -d 'of the time until cold'
complete -c sdpower -n '__fish_seen_subcommand_from calibrate' -l near -s n -x -d 'ms for a shared cache'
complete -c sdpower -n '__fish_seen_subcommand_from calibrate' -l far -s F -x -d 'ms for any other distance'
complete -c sdpower -n '__fish_seen_subcommand_from calibrate' -l hard -s H -x -d 'most ms for a distance'
complete -c sdpower -n '__fish_seen_subcommand_from calibrate' -l total -s t -x -d 'most ms altogether'

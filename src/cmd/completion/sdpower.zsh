#compdef sdpower
# SPDX-License-Identifier: MIT
# Completion of sdpower for zsh.

_sdpower_commands()
{
	local -a commands=(
		'topo:draw a machine and its domains'
		'check:say what is wrong with a description, and where'
		'domains:tell everything of a domain, and what knobs change'
		'levels:tell what the three power levels mean on a machine'
		'explain:tell why a recorded decision is as it is'
		'replay:ask the questions of a trace again'
		'stats:sum the counters of a running host by level'
		'calibrate:measure what moving a task costs, by distance'
	)

	_describe command commands
}

_sdpower()
{
	# For each option its letter, and the rest of what _arguments wants to know.
	local -A about=(
		all 'a[leave nothing out]'
		color 'C[when to use colour]:when:(auto always never)'
		costs 'K[tell costs kept there]:file:_files'
		cpu 'c[only this cpu]:cpu:'
		csv 'f[print a table]'
		dot 'd[draw for Graphviz]'
		far 'F[time for cpus that share no cache]:ms:'
		hard 'H[most time for a distance]:ms:'
		help 'h[explain the command]'
		json 'j[print one JSON document]'
		keep 'k[print the result to be loaded]'
		level 'l[power level]:level:(performance balanced powersave)'
		line 'i[print the option line]'
		load 'L[show a kept result]:file:_files'
		mc 'm[multi-core knob]:knob:(0 1 2)'
		near 'n[time for cpus that share their cache]:ms:'
		percent 'p[of the time until cold]:per cent:'
		points 'P[print every size, too]'
		quiet 'q[say only what is wrong]'
		record 'R[write a trace]'
		rules 'r[set of rules]:rules:(default classic classic-30 reverted modern native)'
		smt 's[thread knob]:knob:(0 1 2)'
		strict 'W[take warnings as errors]'
		summary 'S[one line a machine]'
		svg 'v[draw a picture]'
		total 't[most time altogether]:ms:'
	)
	local -a specs
	local name letter names=

	if (( CURRENT == 2 )); then
		_arguments '(- *)--help[explain the command]' '(- *)--version[print the version]' \
			':command:_sdpower_commands'
		return
	fi
	shift words
	(( CURRENT-- ))
	case $words[1] in
	topo) names='dot svg summary all rules level mc smt' ;;
	domains) names='costs cpu all rules level mc smt' ;;
	levels) names='costs rules' ;;
	replay) names='all quiet record' ;;
	calibrate) names='csv svg line keep load points strict percent near far hard total rules' ;;
	check) names='quiet strict' ;;
	esac
	for name in ${=names} json color help; do
		letter=${about[$name][1]}
		specs+=("(-$letter --$name)"{-$letter,--$name}"${about[$name][2,-1]}")
	done
	_arguments -s $specs '*:file:_files'
}

_sdpower "$@"

# SPDX-License-Identifier: MIT
# Completion of sdpower for bash.
_sdpower()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} common='--json --color --help' options=
	local rules='default classic classic-30 reverted modern native'

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W 'topo check domains levels explain replay stats calibrate --help --version' -- "$word")
		return
	fi
	case $previous in
	--rules | -r) mapfile -t COMPREPLY < <(compgen -W "$rules" -- "$word"); return ;;
	--level | -l) mapfile -t COMPREPLY < <(compgen -W 'performance balanced powersave' -- "$word"); return ;;
	--mc | --smt | -m | -s) mapfile -t COMPREPLY < <(compgen -W '0 1 2' -- "$word"); return ;;
	--color | -C) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$word"); return ;;
	esac
	case $command in
	topo) options='--dot --svg --summary --all --rules --level --mc --smt' ;;
	domains) options='--costs --cpu --all --rules --level --mc --smt' ;;
	levels) options='--costs --rules' ;;
	replay) options='--all --quiet --record' ;;
	calibrate) options='--csv --svg --line --keep --load --points --strict --percent --near --far --hard --total --rules' ;;
	check) options='--quiet --strict' ;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options $common" -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}
complete -o filenames -F _sdpower sdpower

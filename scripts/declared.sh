#!/bin/sh
# SPDX-License-Identifier: MIT
# Lists the functions that the given headers declare SDPOWER_API, sorted, one a line.
set -eu
[ $# -gt 0 ] || exit 0
cat "$@" | awk '
	{
		# Comments and preprocessor lines go; the rest becomes one long line.
		while (1) {
			if (inside) {
				end = index($0, "*/")
				if (!end)
					next
				$0 = substr($0, end + 2)
				inside = 0
			}
			start = index($0, "/*")
			if (!start)
				break
			rest = substr($0, start + 2)
			text = text " " substr($0, 1, start - 1)
			$0 = rest
			inside = 1
		}
		if (continued || /^[ \t]*#/)
			continued = /\\$/
		else
			text = text " " $0
	}
	END {
		n = split(text, part, /[;{}]/)
		for (i = 1; i <= n; i++)
			if (part[i] ~ /SDPOWER_API/ && match(part[i], /sdpower_[a-z0-9_]+ *\(/))
				print substr(part[i], RSTART, RLENGTH - 1)
	}' | sed 's/ *$//' | LC_ALL=C sort -u

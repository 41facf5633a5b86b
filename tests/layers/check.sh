#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh ROOT: a file in src/ includes only files of its own layer or of the layers below
# it; a public header counts as the layer that include/headers.txt gives it. The command is a
# host: it sees no private header but its own.
set -eu
cd "$1"

listed=$(awk '/^[a-z]/ { print "include/" $2 }' include/headers.txt | LC_ALL=C sort)
found=$(find include -name '*.h' | LC_ALL=C sort)
if [ "$listed" != "$found" ]; then
	echo "include/headers.txt does not list exactly the headers in include/; it lists"
	echo "$listed"
	echo "but there are"
	echo "$found"
	exit 1
fi

find src -name '*.[ch]' -exec grep -Hn '^[ \t]*#[ \t]*include[ \t]*[<"]' {} + | awk '
	function layer_of(path,    part) {
		# Files beside the folders (port.h, status.c) lie below every layer.
		if (split(path, part, "/") == 1)
			return "base"
		return part[1]
	}
	function resolve(folder, name,    part, n, i, out) {
		n = split(folder "/" name, part, "/")
		out = ""
		for (i = 1; i <= n; i++) {
			if (part[i] == "" || part[i] == ".")
				continue
			if (part[i] == "..")
				sub(/\/?[^\/]*$/, "", out)
			else
				out = out (out == "" ? "" : "/") part[i]
		}
		return out
	}
	BEGIN {
		n = split("port base topology tree state decide hosted sim cmd", order, " ")
		for (i = 1; i <= n; i++)
			rank[order[i]] = i
		rank["umbrella"] = rank["hosted"]
		while ((getline line < "include/headers.txt") > 0)
			if (line ~ /^[a-z]/) {
				split(line, field, " ")
				public[field[2]] = field[1]
			}
	}
	{
		split($0, where, ":")
		file = where[1]
		sub(/^src\//, "", file)
		folder = file
		if (!sub(/\/[^\/]*$/, "", folder))
			folder = ""
		name = $0
		sub(/^[^<"]*[<"]/, "", name)
		sub(/[>"].*/, "", name)
		mine = layer_of(file)
		if (name in public)
			theirs = public[name]
		else if ($0 ~ /"/) {
			theirs = layer_of(resolve(folder, name))
			if (system("test -f src/" resolve(folder, name)) != 0 &&
			    system("test -f src/" name) == 0)
				theirs = layer_of(name)
		} else
			next
		if (!(mine in rank) || !(theirs in rank)) {
			printf "%s:%s: unknown layer: %s includes %s\n", where[1], where[2], mine, theirs
			bad = 1
		} else if (mine == "cmd" && theirs != "cmd" && !(name in public)) {
			printf "%s:%s: the command may not include the private %s\n", where[1], where[2], name
			bad = 1
		} else if (rank[theirs] > rank[mine]) {
			printf "%s:%s: %s may not include %s (%s)\n", where[1], where[2], mine, name, theirs
			bad = 1
		}
		count++
	}
	END {
		if (!bad)
			print count " includes point downward"
		exit bad
	}'

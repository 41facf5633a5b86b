#!/bin/sh
# SPDX-License-Identifier: MIT
# check-enumerators.sh XML: fails on an enumerator without a description, which doxygen
# itself lets pass. XML is the folder of its XML output.
set -eu
awk '
	/<enumvalue / { inside = 1; name = ""; text = "" }
	inside && /<name>/ && name == "" { name = $0; gsub(/.*<name>|<\/name>.*/, "", name) }
	inside && /<(brief|detailed)description>/ { reading = 1; next }
	/<\/(brief|detailed)description>/ { reading = 0 }
	inside && reading { text = text $0 }
	/<\/enumvalue>/ {
		inside = 0
		count++
		if (text !~ /<para>/) {
			print "enumerator " name " is not documented"
			bad = 1
		}
	}
	END {
		if (!bad)
			print count + 0 " enumerators documented"
		exit bad
	}' "$1"/*_8h.xml

#!/bin/sh
# SPDX-License-Identifier: MIT
# unique-macros.sh HEADER: doxygen 1.9.4 overlooks an #undef right after the use of a list
# macro and would expand every later list with the first SDPOWER_X; so each gets its own name.
exec awk '
	FNR == 1 { file = FILENAME; gsub(/[^A-Za-z0-9]/, "_", file) }
	/^#define SDPOWER_X\(/ { name = "SDPOWER_X_" file "_" ++n }
	name != "" {
		gsub(/SDPOWER_X\(/, name "(")
		gsub(/SDPOWER_X\)/, name ")")
		sub(/SDPOWER_X$/, name)
	}
	{ print }' "$1"

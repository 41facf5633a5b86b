#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh ROOT: every source file names its licence in the first two lines, has at most 450
# lines, and no line ends in blanks.
set -eu
cd "$1"
find include src examples tests docs cmake scripts .ci CMakeLists.txt -type f \
	\( -name '*.[ch]' -o -name '*.cc' -o -name '*.sh' -o -name '*.cmake' \
	-o -name CMakeLists.txt -o -name run \) -exec awk '
	function close_file() {
		if (file == "")
			return
		if (!licence) {
			print file ": no SPDX line at the top"
			bad = 1
		}
		if (lines > 450) {
			print file ": " lines " lines; split it by noun (at most 450)"
			bad = 1
		}
		files++
	}
	FNR == 1 { close_file(); file = FILENAME; licence = 0 }
	FNR <= 2 && /SPDX-License-Identifier: MIT/ { licence = 1 }
	/[ \t]$/ { print FILENAME ":" FNR ": blanks at the end"; bad = 1 }
	{ lines = FNR }
	END {
		close_file()
		if (!bad)
			print files " files"
		exit bad
	}' {} +

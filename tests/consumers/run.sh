#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh PROJECT SHARED: builds one of the projects beside this file and runs it.
set -eu
project=$1 shared=$2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$WORK"
mkdir -p "$WORK"
export LD_LIBRARY_PATH="$PREFIX/$LIBDIR"

if [ "$project" = pkgconfig ]; then
	export PKG_CONFIG_PATH="$PREFIX/$LIBDIR/pkgconfig"
	set -- OUT="$WORK" CC="$CC"
	[ "$shared" = ON ] || set -- "$@" STATIC=--static LINK=-Wl,-Bstatic
	make -C "$here/pkgconfig" "$@"
else
	"$CMAKE" -S "$here/$project" -B "$WORK" -DCMAKE_C_COMPILER="$CC" \
		-DCMAKE_PREFIX_PATH="$PREFIX" -DSDPOWER_SOURCE="$SOURCE" -DBUILD_SHARED_LIBS="$shared"
	"$CMAKE" --build "$WORK" -j 2
fi
"$WORK/consumer"

# The kind asked for is the kind linked.
needed=no
readelf -d "$WORK/consumer" | grep -q 'NEEDED.*\[libsdpower\.so' && needed=yes
case $shared-$needed in
ON-yes | OFF-no) ;;
*)
	echo "asked for shared libraries: $shared, but needs libsdpower.so: $needed"
	exit 1
	;;
esac

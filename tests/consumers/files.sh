#!/bin/sh
# SPDX-License-Identifier: MIT
# files.sh VERSION HOSTED SHARED COMMAND: the installation under $PREFIX holds exactly what hosts and
# packagers may rely on.
set -eu
export LC_ALL=C
version=$1 hosted=$2 shared=$3 command=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Before 1.0 the minor version may break programs linked with another one.
soversion=${version%%.*}
[ "$soversion" != 0 ] || soversion=${version%.*}

libraries=libsdpower
[ "$hosted" = OFF ] || libraries="libsdpower libsdpower-hosted"
{
	awk -v hosted="$hosted" '/^[a-z]/ && ($1 != "hosted" || hosted != "OFF") {
		print "INCLUDE/" $2 }' "$SOURCE/include/headers.txt"
	printf 'DOC/%s\n' LICENSE README.md CHANGELOG.md CONTRIBUTING.md
	(cd "$SOURCE" && printf 'DOC/%s\n' docs/*.md examples/*.c examples/samples/*)
	for library in $libraries; do
		echo "LIB/$library.a"
		echo "LIB/pkgconfig/$library.pc"
		[ "$shared" = OFF ] ||
			printf 'LIB/%s\n' "$library.so" "$library.so.$soversion" "$library.so.$version"
	done
	for part in config config-version targets "targets-$BUILD_TYPE"; do
		echo "LIB/cmake/sdpower/sdpower-$part.cmake"
	done
	[ "$command" = OFF ] || printf '%s\n' BIN/sdpower MAN/man1/sdpower.1 \
		DATA/bash-completion/completions/sdpower DATA/fish/vendor_completions.d/sdpower.fish \
		DATA/zsh/site-functions/_sdpower
} | sed "s|^BIN/|$BINDIR/|; s|^MAN/|$MANDIR/|; s|^DATA/|$DATADIR/|; s|^LIB/|$LIBDIR/|; s|^INCLUDE/|$INCLUDEDIR/|; s|^DOC/|$DOCDIR/|" | sort >"$work/expected"

(cd "$PREFIX" && find . ! -type d | sed 's|^\./||' | sort) >"$work/found"
if ! diff "$work/expected" "$work/found" >"$work/diff"; then
	echo "installed files differ from the expected ones (< expected, > installed):"
	cat "$work/diff"
	exit 1
fi

[ "$shared" = OFF ] || for library in $libraries; do
	readelf -d "$PREFIX/$LIBDIR/$library.so" | grep -q "SONAME.*\[$library.so.$soversion\]\$" || {
		echo "$library.so has another soname than $library.so.$soversion"
		exit 1
	}
done
[ "$command" = OFF ] || "$PREFIX/$BINDIR/sdpower" topo core:2 >/dev/null || {
	echo "the installed command does not run"
	exit 1
}
echo "$(wc -l <"$work/found") files"

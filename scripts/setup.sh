#!/bin/sh
# SPDX-License-Identifier: MIT
# setup.sh demo|bench|test|ci|guest: looks for what that script needs and installs what is missing
# (Debian, as root); otherwise says what to install. Without network it does nothing when
# nothing is missing.
set -eu

# Each line: how much it is needed, for which scripts, Debian package, how to find it.
needs="
must  demo,bench,test,ci  gcc                command gcc
must  demo,bench,test,ci  libc6-dev          header stdio.h
must  demo,bench,test,ci  make               command make
must  demo,bench,test,ci  cmake              command cmake
must  demo,bench,test,ci  pkg-config         command pkg-config
must  demo,bench,test,ci  libatomic-ops-dev  module atomic_ops
must  demo,bench,test,ci  zlib1g-dev         module zlib
must  test,ci             libcmocka-dev      module cmocka
may   test,ci             g++                command g++
may   test,ci             gcc-arm-none-eabi  command arm-none-eabi-gcc
may   test,ci             doxygen            command doxygen
may   test,ci             spin               command spin
may   bench               libhwloc-dev       module hwloc
may   bench               g++                command g++
may   bench               clang              command clang
may   bench               libomp-dev         llvm omp
may   bench               libtbb-dev         module tbb
may   bench               libglib2.0-dev     module glib-2.0
may   bench               libuv1-dev         module libuv
may   bench               libstarpu-dev      module libstarpu
may   bench               libasio-dev        header asio/version.hpp
must  ci                  clang              command clang
must  ci                  g++                command g++
must  guest               qemu-system-x86    command qemu-system-x86_64
"

have()
{
	case $1 in
	command) command -v "$2" >/dev/null ;;
	module) command -v pkg-config >/dev/null && pkg-config --exists "$2" ;;
	llvm) ls /usr/lib/llvm-*/lib/lib"$2".so >/dev/null 2>&1 ;;
	header) echo "#include <$2>" | gcc -E - >/dev/null 2>&1 ;;
	esac
}

# missing must|may: the packages of that kind that are not there.
missing()
{
	echo "$needs" | while read -r kind scripts package how what; do
		[ "$kind" = "$1" ] || continue
		case ,$scripts, in
		*,$purpose,*) have "$how" "$what" || printf '%s ' "$package" ;;
		esac
	done
}

install()
{
	[ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || return 1
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # a list of packages
	apt-get update -qq && apt-get install -y -qq --no-install-recommends $1 >/dev/null
}

purpose=${1:?demo, bench, test, ci or guest}
must=$(missing must)
may=$(missing may)
if [ -n "$must$may" ]; then
	echo "setup: missing: $must$may"
	# One that cannot be had does not keep the others away.
	install "$must$may" || for package in $must $may; do
		install "$package" || echo "setup: could not install $package here"
	done
	must=$(missing must)
	may=$(missing may)
fi
[ -z "$may" ] || echo "setup: going on without $may(what needs them is skipped)"
if [ -n "$must" ]; then
	echo "setup: please install, as root: apt-get install $must" >&2
	exit 1
fi

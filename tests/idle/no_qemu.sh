#!/bin/sh
# SPDX-License-Identifier: MIT
# no_qemu.sh SCRIPT: without QEMU, and without the means to install it, the script names what is
# missing and does nothing.
set -eu
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
for tool in sh dirname id grep; do
	ln -s "$(command -v $tool)" "$tools/"
done
PATH=$tools "$(dirname "$0")/../support/use.sh" 1 \
	'please install, as root: apt-get install .*qemu-system-x86 ' "$1"

#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh CMAKE BUILD PREFIX: installs from scratch.
set -eu
rm -rf "$3"
"$1" --install "$2" --prefix "$3"

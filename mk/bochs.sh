#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Bochs from Debian's packages into a folder, not into the system: bochs.sh FOLDER. Its debugger
# has a window by GTK, which is never opened: FOLDER/stubs has libraries in which each of those
# functions is a trap, in place of a hundred packages.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
"$here/mk/unpack.sh" "$1" bochs bochs-term bochsbios vgabios libltdl7 libasound2 libsamplerate0 \
	libreadline8 libtinfo6 libncurses6
cd "$1"
[ ! -d stubs ] || exit 0
rm -rf stubs.part
mkdir stubs.part
nm --dynamic --undefined-only root/usr/bin/bochs-bin |
	sed -nE 's/^ *U ((g|gtk|gdk|pango)_[a-z0-9_]+)$/void \1(void) { __builtin_trap(); }/p' \
		>stubs.part/stubs.c
gcc -shared -fPIC -w -o stubs.part/libgtk-3.so.0 stubs.part/stubs.c
for name in libgdk-3 libpango-1.0 libgobject-2.0 libglib-2.0; do
	ln -s libgtk-3.so.0 "stubs.part/$name.so.0"
done
mv stubs.part stubs

#!/bin/sh
# SPDX-License-Identifier: MIT
# guest-demo.sh [ARGUMENT...]: boots a Linux guest with 2 packages of 4 cores of 2 threads, under
# software emulation, and runs sdpower-idle in it with the arguments (default: --slow 4). Debian's
# cloud kernel and busybox are fetched as packages and only unpacked, all below build/guest; once
# they are there no network is needed. The guest is given DEADLINE seconds (default 300).
set -eu
cd "$(dirname "$0")/.."
scripts/setup.sh guest
scripts/setup.sh demo
[ "$(uname -m)" = x86_64 ] || {
	echo "guest-demo.sh: what is built here for $(uname -m) does not run in an x86_64 guest" >&2
	exit 1
}
guest=$PWD/build/guest
mkdir -p "$guest/packages"
busybox="busybox-static_*_amd64.deb" kernel="linux-image-[0-9]*-cloud-amd64_*_amd64.deb"

# has PATTERN: a package file of that name is there.
has()
{
	# shellcheck disable=SC2086 # the pattern is one
	ls "$guest"/packages/$1 >/dev/null 2>&1
}

# The package without a version in its name only depends on the newest kernel.
newest_kernel()
{
	apt-cache depends linux-image-cloud-amd64 |
		sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}

# Lists of packages age; only root can renew them.
fetch()
{
	[ "$(id -u)" -ne 0 ] || apt-get update -qq
	(cd "$guest/packages" && apt-get download -q busybox-static "$(newest_kernel)")
}

# unpack PATTERN FOLDER
unpack()
{
	[ -d "$guest/$2" ] && return
	# shellcheck disable=SC2086 # the pattern is one
	for package in "$guest"/packages/$1; do
		dpkg-deb -x "$package" "$guest/$2.new"
		mv "$guest/$2.new" "$guest/$2"
		break
	done
}

build_program()
{
	log=$guest/build.log
	if ! { cmake -S . -B "$guest/build" -DCMAKE_BUILD_TYPE=Release -DSDPOWER_SHARED=OFF \
			-DSDPOWER_TESTS=OFF -DSDPOWER_COMMAND=OFF -DSDPOWER_DOCS=OFF \
			-DCMAKE_EXE_LINKER_FLAGS=-static &&
			cmake --build "$guest/build" --target sdpower-idle; } >"$log" 2>&1; then
		cat "$log" >&2
		exit 1
	fi
}

# make_root ARGUMENT...: all that the guest's memory holds after booting.
make_root()
{
	root=$guest/root
	rm -rf "$root"
	mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev"
	cp "$guest/busybox/bin/busybox" "$root/bin/"
	cp "$guest/build/examples/sdpower-idle" "$root/"
	cat >"$root/init" <<EOF
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
echo
echo "guest: begin"
/sdpower-idle $*
echo "guest: status \$?"
/bin/busybox poweroff -f
EOF
	chmod +x "$root/init"
	(cd "$root" && find . | "$guest/busybox/bin/busybox" cpio -o -H newc 2>/dev/null) |
		gzip -1 >"$guest/root.gz"
}

boot()
{
	timeout "${DEADLINE:-300}" qemu-system-x86_64 -accel tcg,thread=multi \
		-cpu max,vendor=GenuineIntel -smp 16,sockets=2,cores=4,threads=2 -m 512 \
		-object memory-backend-ram,id=memory0,size=256M \
		-object memory-backend-ram,id=memory1,size=256M \
		-numa node,nodeid=0,cpus=0-7,memdev=memory0 \
		-numa node,nodeid=1,cpus=8-15,memdev=memory1 \
		-kernel "$(ls "$guest"/kernel/boot/vmlinuz-*)" -initrd "$guest/root.gz" \
		-append "console=ttyS0 quiet panic=-1" -nic none -nographic -no-reboot </dev/null
}

if ! has "$busybox" || ! has "$kernel"; then
	fetch >"$guest/fetch.log" 2>&1 || true
fi
for pattern in "$busybox" "$kernel"; do
	has "$pattern" || {
		cat "$guest/fetch.log" >&2
		echo "guest-demo.sh: please put $pattern of Debian into $guest/packages" >&2
		exit 1
	}
done
unpack "$busybox" busybox
unpack "$kernel" kernel
build_program
[ $# -gt 0 ] || set -- --slow 4
make_root "$@"
# What is not the program's goes elsewhere, for those who read its JSON.
echo "A guest of 2 packages, 4 cores each, 2 threads each, emulated on $(nproc) cpus:" >&2
boot 2>&1 | tr -d '\r' | tee "$guest/console.log" |
	sed -n '/^guest: begin/,/^guest: status/ { /^guest: /!p; }'
if ! grep -q '^guest: status 0' "$guest/console.log"; then
	echo "guest-demo.sh: the guest did not finish in ${DEADLINE:-300} s, or failed; its console:" >&2
	tail -n 20 "$guest/console.log" >&2
	exit 1
fi
cat >&2 <<EOF

Shown: a Linux kernel's own description of such a machine, read by the library; threads that run
where it says. Not shown: time, as each cpu is a thread of this machine that gets what the others
leave, and two threads of a core do not slow each other down; power, as there is none.
EOF

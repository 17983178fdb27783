# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Shared by all scripts: where things are, how to fail, and --help.

PROJECT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
PROFIL_CACHE=${PROFIL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/profil}

# The build directory, as in the Makefile, but always absolute.
B=${B:-build}
case $B in
/*) ;;
*) B=$PROJECT/$B ;;
esac
# depmod and similar tools are installed, but not in every user's PATH.
PATH=$PATH:/usr/sbin:/sbin
export B PROFIL_CACHE PATH

# die MESSAGE: exit with an error, which says what failed, on what, why, and the next step.
die() {
	local script
	script=$(realpath -s "$0")
	printf '%s: %s\n' "${script#"$PROJECT"/}" "$*" >&2
	exit 1
}

# of_arch ARCH: set B to the subdirectory for ARCH; an empty ARCH is this machine's.
of_arch() {
	[ -z "$1" ] || [ "${B##*/}" = "$1" ] || B+=/$1
}

# usage_from SCRIPT: the leading comment of a script is its help.
usage_from() {
	sed -n '3,/^[^#]/{/^#/{s/^# \{0,1\}//;p}}' "$1"
}

# this_suite: print the Debian suite of this machine; nothing if it is not Debian.
this_suite() {
	(. /etc/os-release && [ "$ID" != debian ] || echo "${VERSION_CODENAME-}")
}

# results_of OUTPUT: a line "pass NAME", "fail NAME" or "skip NAME" for each test, without the
# seconds or the reason, although the name itself could also end that way.
results_of() {
	awk '/^run / { name = substr($0, 5) }
		/^(pass|fail|skip) / && name != "" { print $1, name; name = "" }' "$1"
}

# Handle --help before the script does anything.
case ${1-} in
-h | --help)
	usage_from "$0"
	exit 0
	;;
esac

# as_root COMMAND ARGS...: run it as root, with sudo if needed.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "cannot run '$*': not root and no sudo; run it as root once, then start again"
	fi
}

# inside [--user UID:GID] [--in DIR] [--share=DIR]... ROOT COMMAND...: run COMMAND in the
# Debian below ROOT, in DIR of --in if it exists there.  While it runs, /proc, /sys, terminals
# and the host's DIRs of --share are mounted.
inside() {
	local user=0:0 directory=/ shared=() root
	while :; do
		case $1 in
		--user) user=$2 && shift 2 ;;
		--in) directory=$2 && shift 2 ;;
		--share=*) shared+=("${1#*=}") && shift ;;
		*) break ;;
		esac
	done
	root=$1
	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	as_root unshare --mount --pid --fork sh -ec 'root=$0 user=$1 directory=$2 shared=$3
		shift 3
		mount -t proc proc "$root/proc"
		mount -t sysfs -o ro sysfs "$root/sys"
		mkdir -p "$root/dev/pts"
		mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$root/dev/pts"
		while [ "$shared" -gt 0 ]; do
			mkdir -p "$root$1"
			mount --bind "$1" "$root$1"
			shared=$((shared - 1))
			shift
		done
		[ -d "$root$directory" ] || directory=/
		exec chroot --userspec="$user" "$root" env -i -C "$directory" HOME=/root LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' \
		"$root" "$user" "$directory" "${#shared[@]}" "${shared[@]}" "$@"
}

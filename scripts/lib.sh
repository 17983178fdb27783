# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What every script here needs: where things are, and how to fail.

PROJECT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
PROFIL_CACHE=${PROFIL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/profil}

# The build directory, as the Makefile has it; always absolute.
B=${B:-build}
case $B in
/*) ;;
*) B=$PROJECT/$B ;;
esac
# depmod and its like are there for everybody, but not in everybody's PATH.
PATH=$PATH:/usr/sbin:/sbin
export B PROFIL_CACHE PATH

# die MESSAGE: what failed, on what, why, and the next step.
die() {
	printf '%s: %s\n' "scripts/$(basename "$0")" "$*" >&2
	exit 1
}

# usage_from SCRIPT: the leading comment of a script is its help.
usage_from() {
	sed -n '3,/^[^#]/{/^#/{s/^# \{0,1\}//;p}}' "$1"
}

# as_root COMMAND ARGS...: run it with the rights that installing takes.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "cannot run '$*': not root and no sudo; run it as root once, then start again"
	fi
}

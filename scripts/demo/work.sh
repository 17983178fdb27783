#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: scripts/demo/work.sh
#
# Run small programs, without end, that spend most of their time in the kernel.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

cd "$PROJECT"
directory=$(mktemp -d)
trap 'rm -r "$directory"; exit' TERM INT
while :; do
	ls -lR Documentation
	grep -c static kmod/*/*.c
	head -c 3000000 /dev/urandom >"$directory/file"
	cp "$directory/file" "$directory/copy"
done

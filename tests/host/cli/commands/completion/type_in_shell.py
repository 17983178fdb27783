#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Usage: type_in_shell.py SETUP LINE SHELL [ARGUMENTS...]

Start an interactive shell on a terminal, give it the line SETUP, type LINE
and a tab, and print the command line as the shell completes it.
"""
import os
import pty
import re
import select
import sys
import time

PATIENCE = 60  # seconds, for a busy machine
CTRL_A, CTRL_E = b"\x01", b"\x05"


def read_until(terminal, pattern):
    """Read until a pattern appears, or until time is over; return all of it."""
    text = b""
    end = time.monotonic() + PATIENCE
    while not re.search(pattern, text) and time.monotonic() < end:
        if select.select([terminal], [], [], 1)[0]:
            try:
                text += os.read(terminal, 65536)
            except OSError:
                break
    return text


def main():
    setup, line, *shell = sys.argv[1:]
    child, terminal = pty.fork()
    if not child:
        os.environ.update(TERM="dumb", HISTFILE="", COLUMNS="500")
        os.execvp(shell[0], shell)
    # The word is in two parts, so that its echo is not taken for the answer.
    os.write(terminal, setup.encode() + b"\necho rea''dy\n")
    read_until(terminal, rb"ready\r?\n")
    os.write(terminal, line.encode() + b"\t" + CTRL_A + b"echo 'comple''ted:'\"" + CTRL_E + b"|\"\n")
    text = read_until(terminal, rb"completed:.*\|\r?\n")
    found = re.search(rb"completed:(.*)\|\r?\n", text)
    os.write(terminal, b"\x15exit\n")
    os.close(terminal)
    os.waitpid(child, 0)
    if not found:
        sys.exit(f"{shell[0]} said: {text!r}")
    print(found[1].decode() + "|")


main()

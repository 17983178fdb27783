# SPDX-License-Identifier: GPL-2.0-or-later
"""Usage: python3 shape.py SHOWN PRINTED

The shape of what the command prints: its words and columns without the figures and names of a run.

Rows of a table are known by their columns alone.  All other lines must come in the same order.
Run by itself, it prints the lines of the file SHOWN whose shape no line of the file PRINTED has.
"""
import pathlib
import re
import sys

NUMBER = re.compile(r"\d[\d,]*((?:\.\d+)+)?")
COLUMN = re.compile(r"\s{2,}")
# The other outcomes of ticks vary by chance: any run may have a late tick.
OUTCOMES = re.compile(r"(ticks: [\d.]+ % counted);.*")


def _plain(line):
    """A line of text, in which numbers are N or N.N, and absolute paths are /PATH."""
    line = re.sub(r"Linux \S+", "Linux N.N", line.strip())
    line = OUTCOMES.sub(r"\1", line)
    line = re.sub(r"0x[0-9a-f]+", "N", line)
    line = re.sub(r"(?<![\w.])/[\w./+-]+", "/PATH", line)
    line = NUMBER.sub(lambda number: "N.N" if number[1] else "N", line)
    line = re.sub(r"\b(?:[KMG]iB|bytes)\b", "bytes", line)
    return COLUMN.sub("  ", line)


def _is_heading(line):
    return len(COLUMN.split(line.strip())) >= 3 and not re.search(r"\d", line)


def _row(line, heading):
    if "address" in heading:
        code = re.fullmatch(r"(.*?)\b[0-9a-f]+:\s+\S.*", line)
        if not code:
            return "source"
        return "samples, instruction" if re.search(r"\d", code[1]) else "instruction"
    return " | ".join("N" if re.fullmatch(r"[-+]?[\d,.]+\*?", cell) else "name"
                      for cell in COLUMN.split(line.strip()))


def _of(lines):
    """The shapes of text in their order, and those of rows."""
    text, rows, heading = [], [], None
    for line in lines:
        if not line.strip():
            heading = None
        elif heading and not line.startswith("..."):
            rows.append((_row(line, heading), line))
        else:
            text.append((_plain(line), line))
            if _is_heading(line):
                heading = line
    return text, rows


def missing(shown, printed):
    """The lines of an example that have no counterpart in what is printed today, in order."""
    (text, rows), (text_now, rows_now) = _of(shown), _of(printed)
    kinds = {kind for kind, _ in rows_now}
    wrong = [line for kind, line in rows if kind not in kinds]
    rest = iter([kind for kind, _ in text_now])
    for kind, line in text:
        if kind not in rest:
            return wrong + [line]
    return wrong


if __name__ == "__main__":
    print("".join(line + "\n" for line in missing(*(pathlib.Path(file).read_text().split("\n")
                                                    for file in sys.argv[1:]))), end="")

# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns a terminal's screen, as tmux prints it with its colours, into a picture."""
import html
import re
import xml.etree.ElementTree

COLORS = {0: "#15161a", 1: "#e05561", 2: "#7fb560", 3: "#dba250", 4: "#5c9ce6", 5: "#c678dd", 6: "#4fb3bf",
          7: "#d7dae0"}
PAPER, INK = "#15161a", "#d7dae0"
WIDTH, HEIGHT, MARGIN = 8.43, 19, 14
ESCAPE = re.compile(r"\x1b\[([\d;]*)m|\x1b[()][A-Z0-9]|[\x0e\x0f]")


def plain(screen):
    return ESCAPE.sub("", screen).rstrip("\n") + "\n"


class Pen:
    def __init__(self):
        self.set("0")

    def set(self, codes):
        for code in (int(one or 0) for one in codes.split(";")):
            if code == 0:
                self.ink, self.paper, self.bold, self.dim, self.reverse = INK, None, False, False, False
            elif code in (1, 2, 7):
                setattr(self, {1: "bold", 2: "dim", 7: "reverse"}[code], True)
            elif code == 22:
                self.bold = self.dim = False
            elif code == 27:
                self.reverse = False
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.ink = COLORS[code % 10]
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.paper = COLORS[code % 10]
            elif code == 39:
                self.ink = INK
            elif code == 49:
                self.paper = None
            else:
                raise ValueError(f"no colour is known for the terminal's attribute {code}")

    def colors(self):
        return (self.paper or PAPER, self.ink) if self.reverse else (self.ink, self.paper)


def _runs(line, pen):
    """The parts of a line that have the same colours and attributes, each with its column."""
    column, at = 0, 0
    for escape in [*ESCAPE.finditer(line), None]:
        text = line[at:escape.start() if escape else len(line)]
        if text:
            yield column, text, pen
            column += len(text)
        if escape:
            at = escape.end()
            if escape[1] is not None:
                pen.set(escape[1])


def svg(screen):
    lines = screen.rstrip("\n").split("\n")
    columns = max(len(plain(line).rstrip("\n")) for line in lines)
    width, height = columns * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
           f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">',
           "<!-- SPDX-License-Identifier: GPL-2.0-or-later -->",
           f'<rect width="100%" height="100%" rx="6" fill="{PAPER}"/>']
    pen = Pen()
    for number, line in enumerate(lines):
        top, texts = MARGIN + number * HEIGHT, []
        for column, text, look in _runs(line, pen):
            x, (ink, paper) = MARGIN + column * WIDTH, look.colors()
            if paper:
                out.append(f'<rect x="{x:.1f}" y="{top}" width="{len(text) * WIDTH:.1f}" height="{HEIGHT}" '
                           f'fill="{paper}"/>')
            style = (' font-weight="bold"' if look.bold else "") + (' opacity="0.65"' if look.dim else "")
            texts.append(f'<tspan x="{x:.1f}" textLength="{len(text) * WIDTH:.1f}" lengthAdjust="spacingAndGlyphs" '
                         f'fill="{ink}"{style}>{html.escape(text)}</tspan>')
        out.append(f'<text y="{top + 14}" xml:space="preserve">{"".join(texts)}</text>')
    return "\n".join([*out, "</svg>", ""])


def text_of(picture):
    """The lines of text in a picture that svg() has made."""
    root = xml.etree.ElementTree.fromstring(picture)
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]

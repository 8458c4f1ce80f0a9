"""Writes a font as text: `python outlines.py DejaVuSans.ttf > regular.txt`, and of the bold font bold.txt.

Figures need some two hundred signs of one font. As text they take a few lines to read, and no crate for fonts.
Needs fontTools and DejaVu 2.37 (https://dejavu-fonts.github.io), of which first a part is taken:
`pyftsubset DejaVuSans.ttf --text-file=SIGNS --layout-features=kern,mark --no-hinting`, with the signs below in that file.
"""

import sys

from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont

SIGNS = (
    "".join(map(chr, range(0x20, 0x7F)))
    + "\u00a0§°±²³·¹¼½¾×áäéöü\u0302\u0303ΓΔΣΦαβγδεζηθικλμνξοπρςστυφχψωϕᵢ–—‖‘’“”…′⁰ⁱ⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉ₖₙ←↑→↓∇∈∉∋∌∑−√∞≈≠≤≥ⱼ"
)


class Outline(BasePen):
    """Collects an outline in the letters of SVG's paths."""

    def __init__(self, glyphs):
        super().__init__(glyphs)
        self.parts = []

    def _add(self, letter, *points):
        self.parts.append(letter + " ".join(f"{x:g} {y:g}" for x, y in points))

    def _moveTo(self, to):
        self._add("M", to)

    def _lineTo(self, to):
        self._add("L", to)

    def _qCurveToOne(self, control, to):
        self._add("Q", control, to)

    def _closePath(self):
        self._add("Z")


def lookups(font, kind):
    return [table for lookup in font["GPOS"].table.LookupList.Lookup if lookup.LookupType == kind for table in lookup.SubTable]


def anchors(font):
    """Where an accent stands over each letter, seen from the letter's and from the accent's origin."""
    places = {}
    for table in lookups(font, 4):
        for name, record in zip(table.BaseCoverage.glyphs, table.BaseArray.BaseRecord):
            places[name] = record.BaseAnchor[0]
        for name, record in zip(table.MarkCoverage.glyphs, table.MarkArray.MarkRecord):
            places[name] = record.MarkAnchor
    return {name: (place.XCoordinate, place.YCoordinate) for name, place in places.items() if place}


def kerning(font, left, right):
    for table in lookups(font, 2):
        if left in table.Coverage.glyphs:
            row = table.Class1Record[table.ClassDef1.classDefs.get(left, 0)]
            value = row.Class2Record[table.ClassDef2.classDefs.get(right, 0)].Value1
            return value.XAdvance if value and hasattr(value, "XAdvance") else 0
    return 0


def main(path):
    font = TTFont(path)
    names = {ord(sign): font.getBestCmap()[ord(sign)] for sign in SIGNS}
    glyphs, places = font.getGlyphSet(), anchors(font)
    print(f"# {font['name'].getDebugName(4)}, {font['head'].unitsPerEm} units to the size; see outlines.py.")
    print("# sign: code, width, place of an accent, outline. none: what stands for every other sign. kern: two codes, shift.")
    for code, name in [(None, ".notdef"), *names.items()]:
        pen = Outline(glyphs)
        glyphs[name].draw(pen)
        x, y = places.get(name, (0, 0))
        kind = "none" if code is None else f"sign {code:x}"
        print(f"{kind} {font['hmtx'][name][0]} {x} {y} {''.join(pen.parts)}".rstrip())
    for left, first in names.items():
        for right, second in names.items():
            if shift := kerning(font, first, second):
                print(f"kern {left:x} {right:x} {shift}")


main(sys.argv[1])
